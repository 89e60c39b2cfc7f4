import type { Handle } from '../statement.js';

/** The secret of that name, made from `candidate` if there is none yet. All processes get the same one. */
export async function obtainServerSecret(handle: Handle, name: string, candidate: string): Promise<string> {
  await handle.query({
    text: 'INSERT INTO server_secrets (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING',
    values: [name, candidate],
  });
  const [row] = await handle.query<{ value: string }>({
    text: 'SELECT value FROM server_secrets WHERE name = $1',
    values: [name],
  });
  return row!.value;
}
