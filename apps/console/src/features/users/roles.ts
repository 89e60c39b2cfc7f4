import type { Role } from '../../api/records';

/** The roles that can be given, and what each of them may do. */
const ROLES: { value: Role; label: string; meaning: string }[] = [
  { value: 'viewer', label: 'Viewer', meaning: 'reads everything, changes nothing' },
  { value: 'client', label: 'Client', meaning: 'schedules calculations and submits jobs' },
  { value: 'guest', label: 'Guest', meaning: 'joins rooms and submits jobs there' },
  { value: 'admin', label: 'Admin', meaning: 'may do everything' },
];

export const ROLE_CHOICES = ROLES.map(({ value, label, meaning }) => ({
  value,
  label: `${label}: ${meaning}`,
}));

export function roleLabel(role: Role): string {
  return ROLES.find(({ value }) => value === role)?.label ?? role;
}
