import { QueryClient } from '@tanstack/react-query';
import { ApiError } from '../api/problem';

const WORTH_A_RETRY = new Set([0, 502, 503, 504]);

export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 5_000,
        // What the server refused it will refuse again; only its absence passes.
        retry: (failures, error) =>
          failures < 2 && error instanceof ApiError && WORTH_A_RETRY.has(error.status),
      },
    },
  });
}
