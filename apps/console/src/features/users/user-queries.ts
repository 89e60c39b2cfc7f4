import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, bodyOf } from '../../api/client';
import { useCursorList } from '../../api/cursor-list';
import type { Role, User } from '../../api/records';

const QUERY_KEY = ['users'];

export function useUsers() {
  return useCursorList<User>(QUERY_KEY, (cursor, signal) =>
    bodyOf(api.GET('/api/users', { params: { query: { cursor } }, signal })),
  );
}

export interface NewUser {
  username: string;
  password: string;
  role: Role;
}

export function useCreateUser() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (body: NewUser) => bodyOf(api.POST('/api/users', { body })),
    onSuccess: () => queries.invalidateQueries({ queryKey: QUERY_KEY }),
  });
}

export interface UserChange {
  id: string;
  role?: Role;
  password?: string;
  disabled?: boolean;
}

export function useChangeUser() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ id, ...body }: UserChange) =>
      bodyOf(api.PATCH('/api/users/{id}', { params: { path: { id } }, body })),
    onSuccess: () => queries.invalidateQueries({ queryKey: QUERY_KEY }),
  });
}
