'use client';

import { useQueryClient } from '@tanstack/react-query';
import { createContext, use, useEffect, useEffectEvent, useState } from 'react';
import type { ReactNode } from 'react';
import type { SystemEvent } from '../../api/records';
import { LiveConnection } from './live-connection';
import type { ChangedList, ConnectionState } from './live-connection';
import { RefreshQueue } from './refresh-queue';

interface Live {
  state: ConnectionState;
  /** Hears of every event from now on; returns how to stop. */
  onEvent(hear: (event: SystemEvent) => void): () => void;
}

const LiveContext = createContext<Live | null>(null);

/** Keeps one live connection for the whole console, and the lists on the screen up to date with it. */
export function LiveProvider({ children }: { children: ReactNode }) {
  const queries = useQueryClient();
  const [state, setState] = useState<ConnectionState>('connecting');
  const [hearers] = useState(() => new Set<(event: SystemEvent) => void>());

  useEffect(() => {
    const refresh = new RefreshQueue((list) => void queries.invalidateQueries({ queryKey: [list] }));
    const connection = new LiveConnection({
      onState(next) {
        setState(next);
        // Whatever changed while nobody told us: what is on the screen is read again.
        if (next === 'live') void queries.invalidateQueries();
      },
      onEvent(event) {
        hearers.forEach((hear) => hear(event));
        listsOf(event).forEach((list) => refresh.add(list));
      },
      onChanged: (list) => refresh.add(list),
    });
    connection.open();
    return () => {
      connection.close();
      refresh.clear();
    };
  }, [queries, hearers]);

  const [onEvent] = useState(() => (hear: (event: SystemEvent) => void) => {
    hearers.add(hear);
    return () => void hearers.delete(hear);
  });

  return <LiveContext value={{ state, onEvent }}>{children}</LiveContext>;
}

export function useConnectionState(): ConnectionState {
  return useLive().state;
}

export function useLiveEvents(hear: (event: SystemEvent) => void): void {
  const { onEvent } = useLive();
  const latest = useEffectEvent(hear);
  useEffect(() => onEvent((event) => latest(event)), [onEvent]);
}

function useLive(): Live {
  const live = use(LiveContext);
  if (!live) throw new Error('Live data needs a LiveProvider above it.');
  return live;
}

function listsOf(event: SystemEvent): ChangedList[] {
  const lists: ChangedList[] = [];
  if (event.managerId) lists.push('managers');
  if (event.scheduleId) lists.push('calculations');
  if (event.taskId) lists.push('tasks');
  return lists;
}
