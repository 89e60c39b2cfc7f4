'use client';

import { Button, Skeleton } from '@mantine/core';
import type { ReactNode } from 'react';
import type { CursorList } from '../api/cursor-list';
import { inWords } from '../api/problem';
import { EmptyState } from './empty-state';
import styles from './record-table.module.css';

export interface Column<Item> {
  header: string;
  cell: (item: Item) => ReactNode;
  align?: 'right';
  /** Takes what the others leave, and cuts what does not fit. */
  grow?: true;
  /** Keeps within reason, and cuts what does not fit. */
  cut?: true;
  /** Left out where the screen is narrow. */
  wideOnly?: true;
}

interface RecordTableProps<Item> {
  /** What is listed, for those who do not see the page. */
  label: string;
  list: CursorList<Item>;
  columns: readonly Column<Item>[];
  keyOf: (item: Item) => string;
  /** What to say when there is nothing. */
  empty: ReactNode;
  isDimmed?: (item: Item) => boolean;
}

/** A list as a table, with everything that can happen to it: loading, failing, being empty, having more. */
export function RecordTable<Item>({ label, list, columns, keyOf, empty, isDimmed }: RecordTableProps<Item>) {
  if (list.error) {
    return (
      <div className={styles.frame}>
        <EmptyState title="This list cannot be shown">
          <p>{inWords(list.error)}</p>
          <Button variant="default" size="xs" onClick={list.retry}>
            Try again
          </Button>
        </EmptyState>
      </div>
    );
  }
  if (!list.isLoading && list.items.length === 0) return <div className={styles.frame}>{empty}</div>;
  return (
    <>
      <div className={styles.frame} tabIndex={0} role="region" aria-label={label} aria-busy={list.isLoading}>
        <table className={styles.table}>
          <thead>
            <tr>
              {columns.map((column) => (
                <th key={column.header} scope="col" data-align={column.align} data-wide={column.wideOnly}>
                  {column.header}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {list.isLoading ? (
              <LoadingRows columns={columns} />
            ) : (
              list.items.map((item) => (
                <tr key={keyOf(item)} data-dimmed={isDimmed?.(item) || undefined}>
                  {columns.map((column) => (
                    <Cell key={column.header} column={column} content={column.cell(item)} />
                  ))}
                </tr>
              ))
            )}
          </tbody>
        </table>
      </div>
      {list.hasMore && (
        <div className={styles.more}>
          <Button variant="default" size="xs" loading={list.isLoadingMore} onClick={list.loadMore}>
            Load more
          </Button>
        </div>
      )}
    </>
  );
}

function Cell<Item>({ column, content }: { column: Column<Item>; content: ReactNode }) {
  return (
    <td
      data-align={column.align}
      data-grow={column.grow}
      data-cut={column.cut}
      data-wide={column.wideOnly}
      title={(column.grow || column.cut) && typeof content === 'string' ? content : undefined}
    >
      {content}
    </td>
  );
}

function LoadingRows<Item>({ columns }: { columns: readonly Column<Item>[] }) {
  return Array.from({ length: 6 }, (_, row) => (
    <tr key={row}>
      {columns.map((column) => (
        <td key={column.header} data-grow={column.grow} data-wide={column.wideOnly}>
          <Skeleton height={12} my={4} width={column.grow ? '70%' : 72} />
        </td>
      ))}
    </tr>
  ));
}
