import { change, type Cause, type StateChange, type StateMachine } from './state-machine.js';

export type TaskStatus = 'queued' | 'pending' | 'accepted' | 'completed' | 'failed' | 'obsolete';

export const taskMachine: StateMachine<TaskStatus> = {
  name: 'task',
  initial: ['queued'],
  transitions: {
    queued: ['pending', 'failed', 'obsolete'],
    pending: ['accepted', 'failed', 'obsolete', 'queued'],
    accepted: ['completed', 'failed', 'obsolete'],
    completed: [],
    failed: [],
    obsolete: [],
  },
};

type TaskFacts = { readonly status: TaskStatus };
type TaskChange = StateChange<TaskStatus>;

/** A manager was chosen; its acceptance deadline starts to run. */
export function assignTask(task: TaskFacts, cause: Cause): TaskChange {
  return change(taskMachine, task.status, 'pending', cause);
}

export function acceptTask(task: TaskFacts, cause: Cause): TaskChange {
  return change(taskMachine, task.status, 'accepted', cause);
}

/** The engine runs (start), or has stopped (stop). */
export function completeTask(task: TaskFacts, cause: Cause): TaskChange {
  return change(taskMachine, task.status, 'completed', cause);
}

/** Rejected, failed, or out of time. */
export function failTask(task: TaskFacts, cause: Cause): TaskChange {
  return change(taskMachine, task.status, 'failed', cause);
}

/** Its calculation ended, or a newer command replaced it, before it could matter. */
export function retireTask(task: TaskFacts, cause: Cause): TaskChange {
  return change(taskMachine, task.status, 'obsolete', cause);
}

/** Nobody accepted in time and a retry is left: back to the queue, for another manager. */
export function requeueTask(task: TaskFacts, cause: Cause): TaskChange {
  return change(taskMachine, task.status, 'queued', cause);
}
