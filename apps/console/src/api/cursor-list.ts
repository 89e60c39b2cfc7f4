import { useInfiniteQuery } from '@tanstack/react-query';
import type { QueryKey } from '@tanstack/react-query';

export interface Page<Item> {
  items: Item[];
  nextCursor?: string | null;
}

export interface CursorList<Item> {
  items: Item[];
  isLoading: boolean;
  error: Error | null;
  retry: () => void;
  hasMore: boolean;
  isLoadingMore: boolean;
  loadMore: () => void;
}

/** A list that is read page by page, each page asked for by the cursor that the former one ended with. */
export function useCursorList<Item>(
  queryKey: QueryKey,
  readPage: (cursor: string | undefined, signal: AbortSignal) => Promise<Page<Item>>,
): CursorList<Item> {
  const query = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) => readPage(pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.nextCursor ?? undefined,
  });
  return {
    items: query.data?.pages.flatMap((page) => page.items) ?? [],
    isLoading: query.isPending,
    // Rows that were read stay useful while a refresh fails; the header says that we are not live.
    error: query.data ? null : query.error,
    retry: () => void query.refetch(),
    hasMore: query.hasNextPage,
    isLoadingMore: query.isFetchingNextPage,
    loadMore: () => void query.fetchNextPage(),
  };
}
