'use client';

import { Button, Menu } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconChevronDown, IconFileDescription, IconLogout } from '@tabler/icons-react';
import { api } from '../api/client';
import { inWords } from '../api/problem';
import { useSession } from '../session/session-context';

async function signOut(): Promise<void> {
  try {
    await api.POST('/api/auth/logout');
    window.location.assign('/sign-in');
  } catch (error) {
    notifications.show({ color: 'red', title: 'You are still signed in', message: inWords(error) });
  }
}

export function UserMenu() {
  const { user } = useSession();
  return (
    <Menu position="bottom-end" width={200} shadow="md">
      <Menu.Target>
        <Button
          variant="subtle"
          color="gray"
          size="compact-md"
          fw={500}
          rightSection={<IconChevronDown size={14} />}
          aria-label={`Account of ${user.username}`}
        >
          {user.username}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          Signed in as {user.username}, {user.role}
        </Menu.Label>
        <Menu.Item
          component="a"
          href="/api/docs"
          target="_blank"
          leftSection={<IconFileDescription size={16} stroke={1.6} />}
        >
          API description
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item leftSection={<IconLogout size={16} stroke={1.6} />} onClick={() => void signOut()}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
