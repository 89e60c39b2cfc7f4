export interface Settings {
  readonly port: number;
  readonly host: string | undefined;
  readonly api: URL;
}

/** Reads what the environment says; for a value that does not parse, the error is a sentence that names it. */
export function readSettings(env: Readonly<Record<string, string | undefined>>): Settings {
  const port = Number(env.CONSOLE_PORT ?? 3000);
  if (!Number.isInteger(port) || port < 0 || port > 65535) {
    throw new Error(`CONSOLE_PORT must be a port number, not "${env.CONSOLE_PORT}".`);
  }
  const api = URL.parse(env.MUSTER_API_URL ?? 'http://127.0.0.1:4000');
  if (!api || !/^https?:$/.test(api.protocol)) {
    throw new Error(`MUSTER_API_URL must be an http or https address, not "${env.MUSTER_API_URL}".`);
  }
  return { port, host: env.CONSOLE_HOST || undefined, api };
}
