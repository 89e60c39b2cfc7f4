'use client';

import { TryAgain, failureWords } from '../shell/failure';
import type { FailureProps } from '../shell/failure';
import { Standalone } from '../shell/standalone';

/** Where not even the shell could be made. */
export default function RootError(props: FailureProps) {
  const { title, text } = failureWords(props.error);
  return (
    <Standalone title={title}>
      <p role="alert">{text}</p>
      <TryAgain {...props} />
    </Standalone>
  );
}
