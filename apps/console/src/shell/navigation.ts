import {
  IconActivity,
  IconBinaryTree,
  IconBox,
  IconCalendarCog,
  IconChartBar,
  IconCpu,
  IconDoor,
  IconKey,
  IconLayoutDashboard,
  IconListCheck,
  IconMailX,
  IconPuzzle,
  IconServer2,
  IconTicket,
  IconUsers,
  IconWebhook,
} from '@tabler/icons-react';
import type { Icon } from '@tabler/icons-react';

export interface NavigationEntry {
  readonly label: string;
  readonly href: string;
  readonly icon: Icon;
  readonly group: NavigationGroup;
  /** The server does not serve this yet: it is shown, so that one knows where it will be, but leads nowhere. */
  readonly planned?: true;
}

export const NAVIGATION_GROUPS = ['', 'Calculations', 'Jobs', 'Insight', 'Settings'] as const;
export type NavigationGroup = (typeof NAVIGATION_GROUPS)[number];

/** The whole product, in the order of the sidebar. */
export const NAVIGATION: readonly NavigationEntry[] = [
  { label: 'Overview', href: '/', icon: IconLayoutDashboard, group: '' },

  { label: 'Managers', href: '/managers', icon: IconServer2, group: 'Calculations' },
  { label: 'Calculations', href: '/calculations', icon: IconCalendarCog, group: 'Calculations' },
  { label: 'Tasks', href: '/tasks', icon: IconListCheck, group: 'Calculations' },

  { label: 'Jobs', href: '/jobs', icon: IconBox, group: 'Jobs', planned: true },
  { label: 'Extensions', href: '/extensions', icon: IconPuzzle, group: 'Jobs', planned: true },
  { label: 'Workers', href: '/workers', icon: IconCpu, group: 'Jobs', planned: true },
  { label: 'Rooms', href: '/rooms', icon: IconDoor, group: 'Jobs', planned: true },
  { label: 'Dead letters', href: '/dead-letters', icon: IconMailX, group: 'Jobs', planned: true },
  { label: 'Scheduler', href: '/scheduler', icon: IconBinaryTree, group: 'Jobs', planned: true },

  { label: 'Events', href: '/events', icon: IconActivity, group: 'Insight' },
  { label: 'Reports', href: '/reports', icon: IconChartBar, group: 'Insight', planned: true },

  { label: 'Users', href: '/settings/users', icon: IconUsers, group: 'Settings' },
  { label: 'API keys', href: '/settings/api-keys', icon: IconKey, group: 'Settings' },
  {
    label: 'Enrolment tokens',
    href: '/settings/enrolment-tokens',
    icon: IconTicket,
    group: 'Settings',
    planned: true,
  },
  { label: 'Webhooks', href: '/settings/webhooks', icon: IconWebhook, group: 'Settings', planned: true },
];

/** What only an admin is shown. */
export const ADMIN_GROUPS: ReadonlySet<NavigationGroup> = new Set(['Settings']);

/** Whether `pathname` lies at or under `href`. */
export function isCurrent(href: string, pathname: string): boolean {
  return href === '/' ? pathname === '/' : pathname === href || pathname.startsWith(`${href}/`);
}
