const HOME = '/';

/** Where to go on after signing in: a page of this console, whatever the address says. */
export function returnPath(from: string | null | undefined): string {
  if (!from?.startsWith('/')) return HOME;
  const base = 'http://console';
  const url = URL.parse(from, base);
  if (url?.origin !== base || /^\/(sign-in|api)(\/|$)/.test(url.pathname)) return HOME;
  return url.pathname + url.search;
}

/** The sign-in page that comes back to `from`. */
export function signInPath(from: string | null | undefined): string {
  const path = returnPath(from);
  return path === HOME ? '/sign-in' : `/sign-in?from=${encodeURIComponent(path)}`;
}
