import type { Metadata } from 'next';
import { redirect } from 'next/navigation';
import { SignInForm } from '../../features/sign-in/sign-in-form';
import { askWho } from '../../session/require-session';
import { returnPath } from '../../session/return-path';
import { Standalone } from '../../shell/standalone';

export const metadata: Metadata = { title: 'Sign in' };

interface Props {
  searchParams: Promise<{ from?: string | string[] }>;
}

const AWAY = 'The API does not answer right now. You can sign in as soon as it is back.';

export default async function SignInPage({ searchParams }: Props) {
  const { from } = await searchParams;
  const returnTo = returnPath(typeof from === 'string' ? from : null);
  const { state } = await askWho();
  if (state === 'signed-in') redirect(returnTo);
  return (
    <Standalone title="Sign in to Muster">
      <SignInForm returnTo={returnTo} notice={state === 'away' ? AWAY : undefined} />
    </Standalone>
  );
}
