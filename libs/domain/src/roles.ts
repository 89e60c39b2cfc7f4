export const roles = ['admin', 'client', 'guest', 'viewer'] as const;
export type Role = (typeof roles)[number];
