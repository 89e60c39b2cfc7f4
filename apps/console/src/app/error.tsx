'use client';

import { Failure } from '../shell/failure';
import type { FailureProps } from '../shell/failure';
import { Standalone } from '../shell/standalone';

/** Where not even the shell could be made. */
export default function RootError(props: FailureProps) {
  return (
    <Standalone title="Muster">
      <Failure {...props} />
    </Standalone>
  );
}
