'use client';

import { Alert, Button, Group, NativeSelect, PasswordInput, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { Role, User } from '../../api/records';
import { ApiError, inWords } from '../../api/problem';
import { noticeSuccess } from '../../ui/notices';
import { ROLE_CHOICES } from './roles';
import { useChangeUser, useCreateUser } from './user-queries';

const SHORTEST_PASSWORD = 8;

interface Values {
  username: string;
  password: string;
  role: Role;
}

/** Makes a user, or changes the one given: then an empty password leaves theirs as it is. */
export function UserForm({ user, onDone }: { user?: User; onDone: () => void }) {
  const create = useCreateUser();
  const change = useChangeUser();
  const { isPending, error } = user ? change : create;
  const form = useForm<Values>({
    mode: 'uncontrolled',
    initialValues: { username: user?.username ?? '', password: '', role: user?.role ?? 'viewer' },
    validate: {
      username: (value) => (value.trim() ? null : 'A user needs a name'),
      password: (value) =>
        value.length >= SHORTEST_PASSWORD || (user && value === '')
          ? null
          : `Use at least ${SHORTEST_PASSWORD} characters; a few words do well`,
    },
  });

  async function submit(values: Values): Promise<void> {
    try {
      if (user) {
        await change.mutateAsync({ id: user.id, role: values.role, password: values.password || undefined });
        noticeSuccess(`${user.username} was changed.`);
      } else {
        await create.mutateAsync({ ...values, username: values.username.trim() });
        noticeSuccess(`${values.username.trim()} can sign in now.`);
      }
      onDone();
    } catch (refused) {
      if (refused instanceof ApiError) form.setErrors(refused.fields);
    }
  }

  return (
    <form method="post" onSubmit={form.onSubmit((values) => void submit(values))} noValidate>
      <Stack gap="sm">
        {error && (
          <Alert color="red" role="alert">
            {inWords(error)}
          </Alert>
        )}
        <TextInput
          label="User name"
          autoComplete="off"
          disabled={user !== undefined}
          data-autofocus={!user || undefined}
          key={form.key('username')}
          {...form.getInputProps('username')}
        />
        <PasswordInput
          label={user ? 'New password' : 'Password'}
          description={user ? 'Leave it empty to keep the present one.' : undefined}
          autoComplete="new-password"
          key={form.key('password')}
          {...form.getInputProps('password')}
        />
        <NativeSelect
          label="Role"
          data={ROLE_CHOICES}
          key={form.key('role')}
          {...form.getInputProps('role')}
        />
        <Group justify="flex-end" mt="xs">
          <Button variant="default" onClick={onDone}>
            Cancel
          </Button>
          <Button type="submit" loading={isPending}>
            {user ? 'Save' : 'Create user'}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
