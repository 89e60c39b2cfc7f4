'use client';

import { CopyButton, Tooltip, UnstyledButton } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import styles from './record-id.module.css';

/** The beginning of an id, enough to recognise it; a click copies all of it. */
export function RecordId({ id, of }: { id: string | null | undefined; of: string }) {
  if (!id) return <span>–</span>;
  return (
    <CopyButton value={id}>
      {({ copied, copy }) => (
        <Tooltip label={copied ? 'Copied' : id}>
          <UnstyledButton className={styles.id} onClick={copy} aria-label={`Copy ${of} id ${id}`}>
            {id.slice(0, 8)}
            {copied ? <IconCheck size={13} aria-hidden /> : <IconCopy size={13} aria-hidden />}
          </UnstyledButton>
        </Tooltip>
      )}
    </CopyButton>
  );
}
