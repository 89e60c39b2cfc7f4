/** Signals between API processes. Each is a hint to look into the tables; any may be lost or doubled. */
export const EVENTS_COMMITTED = 'events-committed';
/** Something took a credential's worth away: a sign-out, a revocation, a changed user. */
export const CREDENTIALS_CHANGED = 'credentials-changed';
