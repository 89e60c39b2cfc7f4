import { Module, type DynamicModule, type Type } from '@nestjs/common';
import { APP_GUARD, DiscoveryModule } from '@nestjs/core';
import { Database } from '@muster/data/database';
import { Leadership } from '@muster/data/leadership';
import { Queue } from '@muster/data/queue/queue';
import { SignalBus } from '@muster/data/signal-bus';
import { ApiKeysController } from './api-keys/api-keys.controller.js';
import { AccessGuard } from './auth/access.guard.js';
import { AuthController } from './auth/auth.controller.js';
import { Credentials } from './auth/credentials.js';
import { Denials } from './auth/denials.js';
import { SignInService } from './auth/sign-in.service.js';
import { Tokens } from './auth/tokens.js';
import { EventsController } from './events/events.controller.js';
import { HealthController } from './health/health.controller.js';
import { Readiness } from './health/readiness.js';
import { Commands } from './http/commands.js';
import { MetricsController } from './http/metrics.controller.js';
import { Metrics } from './http/metrics.js';
import { ManagersController } from './managers/managers.controller.js';
import { ClientEvents } from './realtime/client-events.js';
import { CredentialWatch } from './realtime/credential-watch.js';
import { Dispatcher } from './realtime/dispatcher.js';
import { EventFeed } from './realtime/event-feed.js';
import { Handshake } from './realtime/handshake.js';
import { SocketsGateway } from './realtime/sockets.gateway.js';
import { Sockets } from './realtime/sockets.js';
import { UiEvents } from './realtime/ui.events.js';
import { LOG, SETTINGS, type Runtime } from './runtime.js';
import { SchedulesController } from './schedules/schedules.controller.js';
import { TasksController } from './tasks/tasks.controller.js';
import { UsersController } from './users/users.controller.js';
import { UsersService } from './users/users.service.js';

@Module({
  imports: [DiscoveryModule],
  controllers: [
    HealthController,
    MetricsController,
    AuthController,
    UsersController,
    ApiKeysController,
    ManagersController,
    SchedulesController,
    TasksController,
    EventsController,
  ],
  providers: [
    { provide: APP_GUARD, useClass: AccessGuard },
    Metrics,
    Commands,
    Tokens,
    Credentials,
    Denials,
    SignInService,
    UsersService,
    ClientEvents,
    Dispatcher,
    Sockets,
    CredentialWatch,
    Handshake,
    SocketsGateway,
    EventFeed,
    UiEvents,
  ],
})
export class ApiModule {
  /** `more` are controllers of who builds on the frame: benchmarks and tests of the frame itself. */
  static for(runtime: Runtime, more: Type[] = []): DynamicModule {
    const { settings, log, database, bus, queue, leadership, readiness } = runtime;
    return {
      module: ApiModule,
      controllers: more,
      providers: [
        { provide: SETTINGS, useValue: settings },
        { provide: LOG, useValue: log },
        { provide: Database, useValue: database },
        { provide: SignalBus, useValue: bus },
        { provide: Queue, useValue: queue },
        { provide: Leadership, useValue: leadership },
        { provide: Readiness, useValue: readiness },
      ],
    };
  }
}
