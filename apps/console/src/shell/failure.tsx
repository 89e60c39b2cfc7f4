'use client';

import { Button } from '@mantine/core';
import { useRouter } from 'next/navigation';
import { startTransition, useEffect, useEffectEvent } from 'react';
import { isApiAway } from '../session/api-away';
import { EmptyState } from '../ui/empty-state';

export interface FailureProps {
  error: Error & { digest?: string };
  reset: () => void;
}

/** What to say where a page could not be made. */
export function failureWords(error: FailureProps['error']): { title: string; text: string } {
  return isApiAway(error)
    ? {
        title: 'The API is away',
        text: 'Muster’s API, or its database, does not answer. This page comes back by itself as soon as it does.',
      }
    : {
        title: 'This page failed',
        text: 'Something went wrong while making it. The console’s log says more.',
      };
}

/** Stands in place of a page. */
export function Failure(props: FailureProps) {
  const { title, text } = failureWords(props.error);
  return (
    <EmptyState title={title}>
      <p role="alert">{text}</p>
      <TryAgain {...props} />
    </EmptyState>
  );
}

const RETRY_MS = 3_000;

/** When the API was away, tries again by itself. */
export function TryAgain({ error, reset }: FailureProps) {
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
    <Button variant="default" size="xs" onClick={tryAgain}>
      Try again
    </Button>
  );
}
