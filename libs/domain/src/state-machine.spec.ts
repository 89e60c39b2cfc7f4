import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { calculationMachine } from './calculation-states.js';
import { presenceMachine, registrationMachine } from './manager-states.js';
import { allows, change, IllegalTransition, statesOf, type StateMachine } from './state-machine.js';
import { taskMachine } from './task-states.js';

const machines: StateMachine<string>[] = [
  taskMachine,
  calculationMachine,
  registrationMachine,
  presenceMachine,
];

describe.each(machines)('the $name machine', (machine) => {
  it('only leads to states that it has', () => {
    const states = statesOf(machine);
    expect(states).toEqual(
      expect.arrayContaining([...machine.initial, ...Object.values(machine.transitions).flat()]),
    );
  });

  it('reaches every state from a birth', () => {
    const reached = new Set<string>();
    const visit = (state: string): void => {
      if (reached.has(state)) return;
      reached.add(state);
      machine.transitions[state]!.forEach(visit);
    };
    machine.initial.forEach(visit);
    expect([...reached].sort()).toEqual(statesOf(machine).sort());
  });

  it('makes a change of exactly the transitions that it allows', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...statesOf(machine)),
        fc.constantFrom(...statesOf(machine)),
        (from, to) => {
          const attempt = () => change(machine, from, to, { actor: 'test', reason: 'why' });
          if (allows(machine, from, to))
            expect(attempt()).toEqual({ from, to, actor: 'test', reason: 'why' });
          else expect(attempt).toThrow(IllegalTransition);
        },
      ),
    );
  });
});
