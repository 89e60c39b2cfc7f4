import createClient from 'openapi-fetch';
import type { paths } from './generated/openapi';
import { ApiError } from './problem';

/** The API as its own description has it; a call that does not succeed throws an {@link ApiError}. */
export const api = createClient<paths>({ credentials: 'same-origin' });

api.use({
  async onResponse({ response, schemaPath }) {
    if (response.ok) return;
    const error = await ApiError.from(response);
    if (error.status === 401 && schemaPath !== '/api/auth/login') onSignedOut();
    throw error;
  },
  onError({ error }) {
    if (error instanceof DOMException && error.name === 'AbortError') return error;
    return ApiError.noAnswer();
  },
});

let onSignedOut = (): void => {};

/** Says what to do when the API no longer knows who is asking. */
export function whenSignedOut(action: () => void): void {
  onSignedOut = action;
}

/** The body of an answer: what did not succeed has been thrown already. */
export async function bodyOf<Body>(call: Promise<{ data?: Body }>): Promise<Body> {
  return (await call).data as Body;
}
