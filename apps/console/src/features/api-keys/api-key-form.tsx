'use client';

import { Alert, Button, CopyButton, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useState } from 'react';
import type { NewApiKey, Role } from '../../api/records';
import { ApiError, inWords } from '../../api/problem';
import { ROLE_CHOICES } from '../users/roles';
import { useCreateApiKey } from './api-key-queries';

const NEVER = 'never';
const LIFETIMES = [
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: '1 year' },
  { value: NEVER, label: 'Never' },
];

function expiryOf(lifetime: string): string | undefined {
  return lifetime === NEVER ? undefined : new Date(Date.now() + Number(lifetime) * 86_400_000).toISOString();
}

interface Values {
  name: string;
  role: Role;
  lifetime: string;
}

/** Makes a key, then shows it: the one time that anybody sees it. */
export function ApiKeyForm({ onDone }: { onDone: () => void }) {
  const [made, setMade] = useState<NewApiKey | null>(null);
  const create = useCreateApiKey();
  const form = useForm<Values>({
    mode: 'uncontrolled',
    initialValues: { name: '', role: 'client', lifetime: '90' },
    validate: { name: (value) => (value.trim() ? null : 'Say what the key is for') },
  });

  async function submit({ name, role, lifetime }: Values): Promise<void> {
    try {
      setMade(await create.mutateAsync({ name: name.trim(), role, expiresAt: expiryOf(lifetime) }));
    } catch (refused) {
      if (refused instanceof ApiError) form.setErrors(refused.fields);
    }
  }

  if (made) return <ShownOnce apiKey={made} onDone={onDone} />;
  return (
    <form method="post" onSubmit={form.onSubmit((values) => void submit(values))} noValidate>
      <Stack gap="sm">
        {create.error && (
          <Alert color="red" role="alert">
            {inWords(create.error)}
          </Alert>
        )}
        <TextInput
          label="Name"
          placeholder="nightly planner"
          autoComplete="off"
          data-autofocus
          key={form.key('name')}
          {...form.getInputProps('name')}
        />
        <NativeSelect
          label="Role"
          data={ROLE_CHOICES}
          key={form.key('role')}
          {...form.getInputProps('role')}
        />
        <NativeSelect
          label="Expires"
          data={LIFETIMES}
          key={form.key('lifetime')}
          {...form.getInputProps('lifetime')}
        />
        <Group justify="flex-end" mt="xs">
          <Button variant="default" onClick={onDone}>
            Cancel
          </Button>
          <Button type="submit" loading={create.isPending}>
            Create key
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function ShownOnce({ apiKey, onDone }: { apiKey: NewApiKey; onDone: () => void }) {
  return (
    <Stack gap="sm">
      <Text size="md">
        This is the key of “{apiKey.name}”. Copy it now: only its hash is kept, and it cannot be shown again.
      </Text>
      <TextInput
        label="API key"
        value={apiKey.key}
        readOnly
        data-autofocus
        onFocus={(event) => event.currentTarget.select()}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
      />
      <Group justify="flex-end" mt="xs">
        <CopyButton value={apiKey.key} timeout={5_000}>
          {({ copied, copy }) => (
            <Button
              variant="default"
              onClick={copy}
              leftSection={copied ? <IconCheck size={16} /> : <IconCopy size={16} />}
            >
              {copied ? 'Copied' : 'Copy key'}
            </Button>
          )}
        </CopyButton>
        <Button onClick={onDone}>I have copied it</Button>
      </Group>
    </Stack>
  );
}
