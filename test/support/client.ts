import { ADMIN } from './api.js';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // What came back is what a test looks at; it is not worth a type each time.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any;
}

export interface Client {
  (method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
}

/** Calls an API as whoever holds the token; without one, as nobody. */
export function clientOf(url: string, token?: string): Client {
  return async (method, path, body, headers = {}) => {
    const response = await fetch(url + path, {
      method,
      redirect: 'manual',
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      body: body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body),
    });
    const text = await response.text();
    const isJson = /json/.test(response.headers.get('content-type') ?? '');
    return {
      status: response.status,
      headers: response.headers,
      body: isJson && text ? JSON.parse(text) : text,
    };
  };
}

/** Signs in, as the administrator unless told otherwise. */
export async function signIn(
  url: string,
  { username, password } = ADMIN,
): Promise<{ token: string; client: Client }> {
  const answer = await clientOf(url)('POST', '/api/auth/login', { username, password });
  if (answer.status !== 200) throw new Error(`Signing in as ${username} was answered ${answer.status}`);
  const token = answer.body.accessToken as string;
  return { token, client: clientOf(url, token) };
}
