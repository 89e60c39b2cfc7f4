import { describe, expect, it } from '@jest/globals';
import * as calculations from './calculation-states.js';
import * as managers from './manager-states.js';
import { allows, statesOf, type Cause, type StateChange, type StateMachine } from './state-machine.js';
import * as tasks from './task-states.js';

type Transition = (state: string) => StateChange<string>;
const cause: Cause = { actor: 'test' };

/** Every named transition, as a function of the state it starts from. */
const named: Array<[machine: StateMachine<string>, transitions: Record<string, Transition>]> = [
  [
    tasks.taskMachine,
    {
      pending: (status) => tasks.assignTask({ status: status as tasks.TaskStatus }, cause),
      accepted: (status) => tasks.acceptTask({ status: status as tasks.TaskStatus }, cause),
      completed: (status) => tasks.completeTask({ status: status as tasks.TaskStatus }, cause),
      failed: (status) => tasks.failTask({ status: status as tasks.TaskStatus }, cause),
      obsolete: (status) => tasks.retireTask({ status: status as tasks.TaskStatus }, cause),
      queued: (status) => tasks.requeueTask({ status: status as tasks.TaskStatus }, cause),
    },
  ],
  [
    calculations.calculationMachine,
    {
      running: (status) =>
        calculations.runCalculation({ status: status as calculations.CalculationStatus }, cause),
      completed: (status) =>
        calculations.completeCalculation({ status: status as calculations.CalculationStatus }, cause),
      stopped: (status) =>
        calculations.stopCalculation({ status: status as calculations.CalculationStatus }, cause),
      failed: (status) =>
        calculations.failCalculation({ status: status as calculations.CalculationStatus }, cause),
      pending: (status) =>
        calculations.rerunCalculation(
          { status: status as calculations.CalculationStatus, generation: 3 },
          cause,
        ),
    },
  ],
  [
    managers.registrationMachine,
    {
      pending: (status) =>
        managers.registerManager({ registrationStatus: status as managers.RegistrationStatus }, cause),
      approved: (status) =>
        managers.approveManager({ registrationStatus: status as managers.RegistrationStatus }, cause),
      rejected: (status) =>
        managers.rejectManager({ registrationStatus: status as managers.RegistrationStatus }, cause),
      unregistered: (status) =>
        managers.revokeManager({ registrationStatus: status as managers.RegistrationStatus }, cause),
    },
  ],
  [
    managers.presenceMachine,
    {
      online: (status) => managers.bringOnline({ status: status as managers.ManagerStatus }, cause),
      offline: (status) => managers.takeOffline({ status: status as managers.ManagerStatus }, cause),
    },
  ],
];

describe.each(named)('$name', (machine, transitions) => {
  it('has one named function for every state that can be entered', () => {
    const entered = new Set(Object.values(machine.transitions).flat());
    expect(Object.keys(transitions).sort()).toEqual([...entered].sort());
  });

  it.each(statesOf(machine).flatMap((from) => Object.keys(transitions).map((to) => [from, to] as const)))(
    'from %s to %s is decided by the table',
    (from, to) => {
      const attempt = () => transitions[to]!(from);
      if (allows(machine, from, to)) expect(attempt()).toMatchObject({ from, to, actor: 'test' });
      else expect(attempt).toThrow(`A ${machine.name} cannot go from ${from} to ${to}`);
    },
  );
});

it('gives a re-run the next generation', () => {
  expect(calculations.rerunCalculation({ status: 'failed', generation: 3 }, cause).generation).toBe(4);
});
