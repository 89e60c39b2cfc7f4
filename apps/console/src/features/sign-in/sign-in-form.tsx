'use client';

import { Alert, Button, PasswordInput, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { FormEvent } from 'react';
import { api } from '../../api/client';
import { ApiError, inWords } from '../../api/problem';

function signInWords(error: unknown): string {
  return error instanceof ApiError && error.status === 401
    ? 'User name or password is wrong.'
    : inWords(error);
}

/** Signs in and goes on to `returnTo`, which the server has found to be a page of this console. */
export function SignInForm({ returnTo, notice }: { returnTo: string; notice?: string }) {
  const [message, setMessage] = useState(notice);
  const [isBusy, setBusy] = useState(false);

  async function signIn(event: FormEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault();
    const fields = new FormData(event.currentTarget);
    setBusy(true);
    try {
      const body = { username: String(fields.get('username')), password: String(fields.get('password')) };
      await api.POST('/api/auth/login', { body });
      // A whole new page: nothing of whoever was signed in before stays in memory.
      window.location.replace(returnTo);
    } catch (error) {
      setMessage(signInWords(error));
      setBusy(false);
    }
  }

  return (
    // Until the script runs, a POST at least keeps the password out of the address.
    <form method="post" onSubmit={(event) => void signIn(event)}>
      <Stack gap="sm">
        {message && (
          <Alert color="red" role="alert" variant="light">
            {message}
          </Alert>
        )}
        <TextInput
          label="User name"
          name="username"
          autoComplete="username"
          size="md"
          required
          autoFocus
          withAsterisk={false}
        />
        <PasswordInput
          label="Password"
          name="password"
          autoComplete="current-password"
          size="md"
          required
          withAsterisk={false}
        />
        <Button type="submit" size="md" mt={6} fullWidth loading={isBusy}>
          Sign in
        </Button>
      </Stack>
    </form>
  );
}
