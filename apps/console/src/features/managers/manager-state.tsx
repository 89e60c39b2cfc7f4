import type { Manager } from '../../api/records';
import { State } from '../../ui/state';

/** The one word that matters most about a manager: an unapproved one is that before it is online. */
export function ManagerState({ manager }: { manager: Manager }) {
  switch (manager.registrationStatus) {
    case 'pending':
      return <State tone="wait">Waiting for approval</State>;
    case 'rejected':
      return <State tone="bad">Rejected</State>;
    case 'unregistered':
      return <State tone="rest">Revoked</State>;
  }
  if (manager.status === 'offline') return <State tone="rest">Offline</State>;
  return manager.draining ? <State tone="wait">Draining</State> : <State tone="good">Online</State>;
}
