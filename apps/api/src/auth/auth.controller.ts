import { Body, Controller, Get, HttpCode, Inject, Post, Req, Res } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { GuestRequest, LoginRequest, Me, SignedIn } from '@muster/protocol/auth';
import { SETTINGS } from '../runtime.js';
import type { Settings } from '../settings.js';
import { Access } from './access.js';
import { By, type Caller } from './caller.js';
import { clearSessionCookie, setSessionCookie } from './cookie.js';
import { refuseCrossSite } from './cross-site.js';
import { SignInService } from './sign-in.service.js';

@ApiTags('Signing in')
@Controller('api/auth')
export class AuthController {
  constructor(
    private readonly signIns: SignInService,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  @Post('login')
  @HttpCode(200)
  @Access.public()
  @ApiOkResponse({ type: SignedIn })
  async login(
    @Body() body: LoginRequest,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SignedIn> {
    refuseCrossSite(request);
    const signedIn = await this.signIns.signIn(body.username, body.password, request.ip);
    setSessionCookie(request, reply, signedIn.accessToken, this.settings.MUSTER_JWT_TTL_S);
    return signedIn;
  }

  @Post('guest')
  @HttpCode(200)
  @Access.public()
  @ApiOkResponse({ type: SignedIn })
  async guest(
    @Body() body: GuestRequest,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SignedIn> {
    refuseCrossSite(request);
    const signedIn = await this.signIns.signInAsGuest(body.username, request.ip);
    setSessionCookie(request, reply, signedIn.accessToken, this.settings.MUSTER_JWT_TTL_S);
    return signedIn;
  }

  /** Ends the session, wherever its token is in use. */
  @Post('logout')
  @HttpCode(200)
  @Access.signedIn()
  @ApiOkResponse({ schema: { type: 'object' } })
  async logout(
    @By() caller: Caller,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    await this.signIns.signOut(caller);
    clearSessionCookie(request, reply);
    return {};
  }

  @Get('me')
  @Access.signedIn()
  @ApiOkResponse({ type: Me })
  me(@By() caller: Caller): Me {
    return {
      user: { id: caller.accountId, username: caller.name, role: caller.role },
      expiresAt: caller.expiresAt?.toISOString() ?? null,
    };
  }
}
