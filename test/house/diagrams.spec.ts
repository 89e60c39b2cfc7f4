import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from '@jest/globals';
import { projectRoot } from '@muster/data/project-root';
import { calculationMachine } from '@muster/domain/calculation-states';
import { presenceMachine, registrationMachine } from '@muster/domain/manager-states';
import { statesOf, type StateMachine } from '@muster/domain/state-machine';
import { taskMachine } from '@muster/domain/task-states';

const machines: StateMachine<string>[] = [
  calculationMachine,
  taskMachine,
  registrationMachine,
  presenceMachine,
];
const page = readFileSync(path.join(projectRoot(), 'docs/architecture.md'), 'utf8');

/** The diagrams of the page by their title, each as its edges: `from --> to`, without what is said about them. */
const drawn = new Map(
  [...page.matchAll(/```mermaid\n---\ntitle: (\S+)\n---\nstateDiagram-v2\n(.*?)```/gs)].map(
    ([, title, body]) => [title!, body!.match(/\S+ --> [^\s:]+/g) ?? []],
  ),
);

/** Where rows are born, what may follow what, and where it ends. */
function edgesOf(machine: StateMachine<string>): string[] {
  return [
    ...machine.initial.map((state) => `[*] --> ${state}`),
    ...statesOf(machine).flatMap((from) => {
      const next = machine.transitions[from]!;
      return next.length > 0 ? next.map((to) => `${from} --> ${to}`) : [`${from} --> [*]`];
    }),
  ];
}

it('there is a diagram for every state machine, and no other', () => {
  expect([...drawn.keys()].sort()).toEqual(machines.map(({ name }) => name).sort());
});

it.each(machines)('the diagram of the $name machine shows its transitions', (machine) => {
  expect([...drawn.get(machine.name)!].sort()).toEqual(edgesOf(machine).sort());
});
