'use client';

import { Button, Group, Modal, Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import { useState } from 'react';
import type { User } from '../../api/records';
import { useSession } from '../../session/session-context';
import { EmptyState } from '../../ui/empty-state';
import { noticeFailure, noticeSuccess } from '../../ui/notices';
import { PageHeader } from '../../ui/page-header';
import { RecordTable } from '../../ui/record-table';
import type { Column } from '../../ui/record-table';
import { State } from '../../ui/state';
import { Time } from '../../ui/time';
import { roleLabel } from './roles';
import { UserForm } from './user-form';
import { useChangeUser, useUsers } from './user-queries';

type Editing = { user?: User } | null;

export function UsersSettings() {
  const list = useUsers();
  const [editing, setEditing] = useState<Editing>(null);
  const columns: Column<User>[] = [
    { header: 'User', cell: (user) => user.username, grow: true },
    { header: 'Role', cell: (user) => roleLabel(user.role) },
    {
      header: 'State',
      cell: (user) =>
        user.disabledAt ? <State tone="rest">Disabled</State> : <State tone="good">May sign in</State>,
    },
    { header: 'Created', cell: (user) => <Time at={user.createdAt} />, wideOnly: true },
    {
      header: 'Actions',
      cell: (user) => <UserActions user={user} onEdit={() => setEditing({ user })} />,
      align: 'right',
    },
  ];
  return (
    <>
      <PageHeader
        title="Users"
        lead="People who sign in with a password. Programs use API keys instead."
        actions={<Button onClick={() => setEditing({})}>New user</Button>}
      />
      <RecordTable
        label="Users"
        list={list}
        columns={columns}
        keyOf={(user) => user.id}
        isDimmed={(user) => Boolean(user.disabledAt)}
        empty={<EmptyState title="There are no users" />}
      />
      <Modal
        opened={editing !== null}
        onClose={() => setEditing(null)}
        title={editing?.user ? `Change ${editing.user.username}` : 'New user'}
      >
        {editing && <UserForm user={editing.user} onDone={() => setEditing(null)} />}
      </Modal>
    </>
  );
}

function UserActions({ user, onEdit }: { user: User; onEdit: () => void }) {
  const { user: self } = useSession();
  const change = useChangeUser();

  async function setDisabled(disabled: boolean): Promise<void> {
    try {
      await change.mutateAsync({ id: user.id, disabled });
      noticeSuccess(disabled ? `${user.username} is disabled.` : `${user.username} may sign in again.`);
    } catch (error) {
      noticeFailure(`${user.username} was not changed`, error);
    }
  }

  function confirmDisabling(): void {
    modals.openConfirmModal({
      title: `Disable ${user.username}?`,
      children: (
        <Text size="md">
          {user.username} is signed out everywhere at once and cannot sign in again until enabled. Nothing is
          deleted.
        </Text>
      ),
      labels: { confirm: 'Disable', cancel: 'Cancel' },
      confirmProps: { color: 'red' },
      onConfirm: () => void setDisabled(true),
    });
  }

  return (
    <Group gap={6} justify="flex-end" wrap="nowrap">
      <Button size="compact-sm" variant="subtle" onClick={onEdit} aria-label={`Change ${user.username}`}>
        Change
      </Button>
      {user.disabledAt ? (
        <Button
          size="compact-sm"
          variant="subtle"
          loading={change.isPending}
          onClick={() => void setDisabled(false)}
          aria-label={`Enable ${user.username}`}
        >
          Enable
        </Button>
      ) : (
        <Button
          size="compact-sm"
          variant="subtle"
          color="red"
          disabled={user.id === self.id}
          loading={change.isPending}
          onClick={confirmDisabling}
          aria-label={`Disable ${user.username}`}
        >
          Disable
        </Button>
      )}
    </Group>
  );
}
