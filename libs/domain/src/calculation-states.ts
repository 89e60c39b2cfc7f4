import { change, type Cause, type StateChange, type StateMachine } from './state-machine.js';

export type CalculationStatus = 'pending' | 'running' | 'completed' | 'failed' | 'stopped';

export const calculationMachine: StateMachine<CalculationStatus> = {
  name: 'calculation',
  initial: ['pending'],
  transitions: {
    pending: ['running', 'failed', 'stopped'],
    running: ['completed', 'stopped', 'failed'],
    completed: ['pending'],
    failed: ['pending'],
    stopped: ['pending'],
  },
};

type CalculationFacts = { readonly status: CalculationStatus };
type CalculationChange = StateChange<CalculationStatus>;

/** Its start task was completed: the engine runs. */
export function runCalculation(calculation: CalculationFacts, cause: Cause): CalculationChange {
  return change(calculationMachine, calculation.status, 'running', cause);
}

export function completeCalculation(calculation: CalculationFacts, cause: Cause): CalculationChange {
  return change(calculationMachine, calculation.status, 'completed', cause);
}

export function stopCalculation(calculation: CalculationFacts, cause: Cause): CalculationChange {
  return change(calculationMachine, calculation.status, 'stopped', cause);
}

export function failCalculation(calculation: CalculationFacts, cause: Cause): CalculationChange {
  return change(calculationMachine, calculation.status, 'failed', cause);
}

/** A finished schedule starts anew as the next generation, which fences off reports about this one. */
export function rerunCalculation(
  calculation: CalculationFacts & { readonly generation: number },
  cause: Cause,
): CalculationChange & { readonly generation: number } {
  return {
    ...change(calculationMachine, calculation.status, 'pending', cause),
    generation: calculation.generation + 1,
  };
}
