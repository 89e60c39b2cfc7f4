'use client';

import { Button, Modal, Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import { useState } from 'react';
import type { ApiKey } from '../../api/records';
import { EmptyState } from '../../ui/empty-state';
import { noticeFailure, noticeSuccess } from '../../ui/notices';
import { PageHeader } from '../../ui/page-header';
import { RecordTable } from '../../ui/record-table';
import type { Column } from '../../ui/record-table';
import { State } from '../../ui/state';
import { Time } from '../../ui/time';
import { roleLabel } from '../users/roles';
import { ApiKeyForm } from './api-key-form';
import { useApiKeys, useRevokeApiKey } from './api-key-queries';

const COLUMNS: Column<ApiKey>[] = [
  { header: 'Name', cell: (key) => key.name, grow: true },
  { header: 'Role', cell: (key) => roleLabel(key.role) },
  { header: 'State', cell: (key) => <ApiKeyState apiKey={key} /> },
  { header: 'Last used', cell: (key) => <Time at={key.lastUsedAt} absent="never" /> },
  { header: 'Expires', cell: (key) => <Time at={key.expiresAt} absent="never" /> },
  { header: 'Created', cell: (key) => <Time at={key.createdAt} />, wideOnly: true },
  { header: 'By', cell: (key) => key.createdBy, cut: true, wideOnly: true },
  { header: 'Actions', cell: (key) => <RevokeButton apiKey={key} />, align: 'right' },
];

export function ApiKeysSettings() {
  const list = useApiKeys();
  const [creating, setCreating] = useState(false);
  return (
    <>
      <PageHeader
        title="API keys"
        lead="For programs: each key is an account of its own, with one role and an expiry."
        actions={<Button onClick={() => setCreating(true)}>New API key</Button>}
      />
      <RecordTable
        label="API keys"
        list={list}
        columns={COLUMNS}
        keyOf={(key) => key.id}
        isDimmed={(key) => !isUsable(key)}
        empty={
          <EmptyState title="There are no API keys">
            Create one for each program that calls the API, with the least role that it needs.
          </EmptyState>
        }
      />
      {/* A click beside it must not lose a key that was shown but not yet copied. */}
      <Modal
        opened={creating}
        onClose={() => setCreating(false)}
        title="New API key"
        closeOnClickOutside={false}
      >
        {creating && <ApiKeyForm onDone={() => setCreating(false)} />}
      </Modal>
    </>
  );
}

function hasExpired(key: ApiKey): boolean {
  return key.expiresAt ? Date.parse(key.expiresAt) <= Date.now() : false;
}

function isUsable(key: ApiKey): boolean {
  return !key.revokedAt && !hasExpired(key);
}

function ApiKeyState({ apiKey }: { apiKey: ApiKey }) {
  if (apiKey.revokedAt) return <State tone="rest">Revoked</State>;
  return hasExpired(apiKey) ? <State tone="rest">Expired</State> : <State tone="good">Usable</State>;
}

function RevokeButton({ apiKey }: { apiKey: ApiKey }) {
  const revoke = useRevokeApiKey();
  if (!isUsable(apiKey)) return null;

  function confirm(): void {
    modals.openConfirmModal({
      title: `Revoke “${apiKey.name}”?`,
      children: (
        <Text size="md">Programs that use this key are refused from now on. This cannot be taken back.</Text>
      ),
      labels: { confirm: 'Revoke key', cancel: 'Cancel' },
      confirmProps: { color: 'red' },
      onConfirm: () =>
        revoke.mutate(apiKey.id, {
          onSuccess: () => noticeSuccess(`“${apiKey.name}” is revoked.`),
          onError: (error) => noticeFailure(`“${apiKey.name}” was not revoked`, error),
        }),
    });
  }
  return (
    <Button
      size="compact-sm"
      variant="subtle"
      color="red"
      loading={revoke.isPending}
      onClick={confirm}
      aria-label={`Revoke ${apiKey.name}`}
    >
      Revoke
    </Button>
  );
}
