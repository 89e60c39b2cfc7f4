import { Inject, Injectable } from '@nestjs/common';
import { DatabaseUnavailable } from '@muster/data/errors';
import { forbidden, malformed, throttled } from '@muster/domain/errors';
import type { Logger } from 'pino';
import { actorOf } from '../auth/caller.js';
import { Denials } from '../auth/denials.js';
import { Readiness } from '../health/readiness.js';
import { LOG } from '../runtime.js';
import { refusalOf, type Refusal } from './acknowledgement.js';
import { ClientEvents, type KnownEvent } from './client-events.js';
import type { ClientSocket } from './client-socket.js';
import { EventBudget } from './event-budget.js';
import { refuseUnlessPlainJson } from './plain-json.js';

/** An event as it came off the wire: `[name, message?, acknowledge?]`, if its sender kept to that. */
interface Packet {
  readonly name: unknown;
  readonly given: readonly unknown[];
  readonly acknowledge: (answer: object) => void;
}

/**
 * Takes whatever a client sends and answers it: `{ ok: true, … }` or `{ ok: false, code, message }`. Every
 * event comes this way, also those that nobody has declared, and nothing that it carries gets any further.
 */
@Injectable()
export class Dispatcher {
  private underWay = 0;
  private onIdle: (() => void)[] = [];

  constructor(
    private readonly events: ClientEvents,
    private readonly readiness: Readiness,
    private readonly denials: Denials,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  attach(socket: ClientSocket): void {
    const budget = new EventBudget();
    socket.onAny((...sent: unknown[]) => {
      this.dispatch(socket, budget, packetOf(sent)).catch((error: unknown) => {
        this.log.error({ err: error }, 'an event went unanswered');
      });
    });
  }

  /** Resolves when everything that was taken on has been answered. */
  async idle(): Promise<void> {
    if (this.underWay > 0) await new Promise<void>((resolve) => this.onIdle.push(resolve));
  }

  private async dispatch(socket: ClientSocket, budget: EventBudget, packet: Packet): Promise<void> {
    if (!budget.begin()) {
      this.answer(packet, this.refuse(packet, tooMany()));
      return;
    }
    this.underWay++;
    try {
      this.answer(packet, { ok: true, ...(await this.handle(socket, packet)) });
    } catch (error) {
      this.answer(packet, this.refuse(packet, error));
    } finally {
      budget.end();
      if (--this.underWay === 0) this.onIdle.splice(0).forEach((resolve) => resolve());
    }
  }

  private async handle(socket: ClientSocket, packet: Packet): Promise<object> {
    if (!this.readiness.isServing) throw new DatabaseUnavailable();
    const event = this.events.find(packet.name);
    if (!event) throw malformed('UNKNOWN_EVENT', 'There is no such event');
    this.authorise(socket, event);
    const message = messageOf(packet);
    const answer = event.message
      ? await event.handle(socket, await validated(event, message))
      : await event.handle(socket, nothing(message));
    return (answer as object | undefined) ?? {};
  }

  private authorise(socket: ClientSocket, { name, access }: KnownEvent): void {
    const { caller } = socket.data;
    if (access?.kind === 'public' || access?.roles.includes(caller.role)) return;
    this.denials.note({
      eventType: 'access_denied',
      actor: actorOf(caller),
      description: `The socket event ${name} was refused to the role ${caller.role}`,
      data: { event: name, role: caller.role },
    });
    throw forbidden('FORBIDDEN', `The role ${caller.role} may not do this`);
  }

  private refuse({ name }: Packet, error: unknown): Refusal {
    const { refusal, unforeseen } = refusalOf(error);
    if (unforeseen) this.log.error({ err: error, event: this.events.find(name)?.name }, 'an event failed');
    return refusal;
  }

  /** An answer that cannot be put into JSON is our mistake, and still must not go unanswered. */
  private answer(packet: Packet, answer: object): void {
    try {
      packet.acknowledge(answer);
    } catch (error) {
      packet.acknowledge(this.refuse(packet, error));
    }
  }
}

function packetOf(sent: readonly unknown[]): Packet {
  const last = sent.at(-1);
  // Only Socket.IO puts a function there: nothing that comes over the wire is one.
  const wantsAnswer = typeof last === 'function';
  const [name, ...given] = wantsAnswer ? sent.slice(0, -1) : sent;
  return { name, given, acknowledge: wantsAnswer ? (last as Packet['acknowledge']) : () => {} };
}

/** An event carries one object, which may be left out where nothing in it is required. */
function messageOf({ given }: Packet): object {
  const [message = {}] = given;
  if (given.length > 1 || typeof message !== 'object' || message === null || Array.isArray(message)) {
    throw malformed('NOT_AN_OBJECT', 'An event carries one JSON object');
  }
  refuseUnlessPlainJson(message);
  return message;
}

async function validated({ message: metatype, validation }: KnownEvent, message: object): Promise<object> {
  return (await validation.transform(message, { type: 'body', metatype: metatype! })) as object;
}

function nothing(message: object): undefined {
  const [field] = Object.keys(message);
  if (field === undefined) return undefined;
  throw malformed('UNKNOWN_FIELD', 'This event carries nothing', {
    errors: [{ field, message: `property ${field} should not exist` }],
  });
}

function tooMany() {
  return throttled('RATE_LIMITED', 'This connection sends more than can be taken; wait for answers', 1);
}
