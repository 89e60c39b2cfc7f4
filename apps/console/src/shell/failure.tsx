'use client';

import { Button } from '@mantine/core';
import { useRouter } from 'next/navigation';
import { startTransition, useEffect, useEffectEvent } from 'react';
import { isApiAway } from '../session/api-away';
import { EmptyState } from '../ui/empty-state';

const RETRY_MS = 3_000;

export interface FailureProps {
  error: Error & { digest?: string };
  reset: () => void;
}

/** Stands where a page could not be made. When the API was away, it tries again by itself. */
export function Failure({ error, reset }: FailureProps) {
  const router = useRouter();
  const away = isApiAway(error);

  function tryAgain(): void {
    startTransition(() => {
      router.refresh();
      reset();
    });
  }
  const onTick = useEffectEvent(tryAgain);
  useEffect(() => {
    if (!away) return;
    const timer = setInterval(() => onTick(), RETRY_MS);
    return () => clearInterval(timer);
  }, [away]);

  return (
    <div role="alert">
      <EmptyState title={away ? 'The API is away' : 'This page failed'}>
        <p>
          {away
            ? 'Muster’s API, or its database, does not answer. This page comes back by itself as soon as it does.'
            : 'Something went wrong while making it. The console’s log says more.'}
        </p>
        <Button variant="default" size="xs" onClick={tryAgain}>
          Try again
        </Button>
      </EmptyState>
    </div>
  );
}
