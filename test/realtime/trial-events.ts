import { EventEmitter } from 'node:events';
import { Controller, ValidationPipe } from '@nestjs/common';
import { Type } from 'class-transformer';
import { IsInt, IsOptional, IsString, Max, MaxLength, Min, ValidateNested } from 'class-validator';
import { Overloaded } from '@muster/data/errors';
import { conflict, missing } from '@muster/domain/errors';
import { Access } from '../../apps/api/src/auth/access.js';
import { ClientEvent } from '../../apps/api/src/realtime/client-event.js';
import type { ClientSocket } from '../../apps/api/src/realtime/client-socket.js';

class Place {
  @IsString()
  @MaxLength(20)
  name: string;
}

export class Trial {
  @IsInt()
  @Min(1)
  @Max(9)
  number: number;

  @IsOptional()
  @ValidateNested()
  @Type(() => Place)
  place?: Place;

  @IsOptional()
  anything?: unknown;
}

/** Events that show what the frame does with whatever comes its way. */
@Controller()
export class TrialEvents {
  /** Lets go of what `trial:hold` holds. */
  static readonly releases: (() => void)[] = [];
  /** Tells when `trial:hold` holds something. */
  static readonly holds = new EventEmitter();

  @ClientEvent('trial:echo', Trial)
  @Access.signedIn()
  echo(socket: ClientSocket, message: Trial) {
    return { by: socket.data.caller.name, isTrial: message instanceof Trial, ...message };
  }

  @ClientEvent('trial:admin', null)
  @Access('admin')
  admin() {}

  @ClientEvent('trial:undeclared', null)
  undeclared() {}

  @ClientEvent('trial:lenient', Trial, new ValidationPipe({ transform: true, whitelist: true }))
  @Access.signedIn()
  lenient(_socket: ClientSocket, message: Trial) {
    return { ...message };
  }

  @ClientEvent('trial:conflict', null)
  @Access.signedIn()
  conflict() {
    throw conflict('LOCKED', 'Somebody else holds it', { holder: 'somebody' });
  }

  @ClientEvent('trial:missing', null)
  @Access.signedIn()
  async missing() {
    await Promise.reject(missing('thing'));
  }

  @ClientEvent('trial:overloaded', null)
  @Access.signedIn()
  overloaded() {
    throw new Overloaded('trials');
  }

  @ClientEvent('trial:own-refusal', null)
  @Access.signedIn()
  ownRefusal() {
    return { ok: false, code: 'LOCKED', message: 'It is locked', holder: 'somebody' };
  }

  @ClientEvent('trial:bug', null)
  @Access.signedIn()
  bug() {
    throw new TypeError('secret detail');
  }

  @ClientEvent('trial:unsendable', null)
  @Access.signedIn()
  unsendable() {
    return { number: 1n };
  }

  @ClientEvent('trial:hold', null)
  @Access.signedIn()
  async hold() {
    await new Promise<void>((release) => {
      TrialEvents.releases.push(release);
      TrialEvents.holds.emit('hold');
    });
    return { released: true };
  }
}
