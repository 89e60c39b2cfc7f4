import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, bodyOf } from '../../api/client';
import { useCursorList } from '../../api/cursor-list';
import type { ApiKey, Role } from '../../api/records';

const QUERY_KEY = ['api-keys'];

export function useApiKeys() {
  return useCursorList<ApiKey>(QUERY_KEY, (cursor, signal) =>
    bodyOf(api.GET('/api/api-keys', { params: { query: { cursor } }, signal })),
  );
}

export function useCreateApiKey() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (body: { name: string; role: Role; expiresAt?: string }) =>
      bodyOf(api.POST('/api/api-keys', { body })),
    onSuccess: () => queries.invalidateQueries({ queryKey: QUERY_KEY }),
  });
}

export function useRevokeApiKey() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => bodyOf(api.DELETE('/api/api-keys/{id}', { params: { path: { id } } })),
    onSuccess: () => queries.invalidateQueries({ queryKey: QUERY_KEY }),
  });
}
