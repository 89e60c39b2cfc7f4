import { change, type Cause, type StateChange, type StateMachine } from './state-machine.js';

export type RegistrationStatus = 'unregistered' | 'pending' | 'approved' | 'rejected';
export type ManagerStatus = 'offline' | 'online';

export const registrationMachine: StateMachine<RegistrationStatus> = {
  name: 'registration',
  initial: ['unregistered', 'pending', 'approved'],
  transitions: {
    unregistered: ['pending', 'approved'],
    pending: ['approved', 'rejected'],
    approved: ['unregistered'],
    rejected: ['approved', 'unregistered'],
  },
};

export const presenceMachine: StateMachine<ManagerStatus> = {
  name: 'presence',
  initial: ['offline', 'online'],
  transitions: { offline: ['online'], online: ['offline'] },
};

type RegistrationFacts = { readonly registrationStatus: RegistrationStatus };
type RegistrationChange = StateChange<RegistrationStatus>;
type PresenceFacts = { readonly status: ManagerStatus };
type PresenceChange = StateChange<ManagerStatus>;

/** A revoked manager calls again with a new secret, and waits for approval like any newcomer. */
export function registerManager(manager: RegistrationFacts, cause: Cause): RegistrationChange {
  return change(registrationMachine, manager.registrationStatus, 'pending', cause);
}

/** By an admin, or at once by an enrolment token. */
export function approveManager(manager: RegistrationFacts, cause: Cause): RegistrationChange {
  return change(registrationMachine, manager.registrationStatus, 'approved', cause);
}

export function rejectManager(manager: RegistrationFacts, cause: Cause): RegistrationChange {
  return change(registrationMachine, manager.registrationStatus, 'rejected', cause);
}

/** Its secret is forgotten; only a new one can register again. */
export function revokeManager(manager: RegistrationFacts, cause: Cause): RegistrationChange {
  return change(registrationMachine, manager.registrationStatus, 'unregistered', cause);
}

export function bringOnline(manager: PresenceFacts, cause: Cause): PresenceChange {
  return change(presenceMachine, manager.status, 'online', cause);
}

export function takeOffline(manager: PresenceFacts, cause: Cause): PresenceChange {
  return change(presenceMachine, manager.status, 'offline', cause);
}
