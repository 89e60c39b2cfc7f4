import { Body, Controller, Get, HttpCode, Inject, Post, Req, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { GuestRequest, LoginRequest, Me, SignedIn } from '@muster/protocol/auth';
import { AnswersProblem } from '../http/openapi.js';
import { SETTINGS } from '../runtime.js';
import type { Settings } from '../settings.js';
import { Access } from './access.js';
import { By, type Caller } from './caller.js';
import { clearSessionCookie, setSessionCookie, tokenFromCookies } from './cookie.js';
import { refuseCrossSite } from './cross-site.js';
import { Denials } from './denials.js';
import { SignInService } from './sign-in.service.js';

@ApiTags('Signing in')
@Controller('api/auth')
export class AuthController {
  constructor(
    private readonly signIns: SignInService,
    private readonly denials: Denials,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  @Post('login')
  @ApiOperation({ summary: 'Sign in' })
  @HttpCode(200)
  @Access.public()
  @ApiOkResponse({ type: SignedIn })
  @AnswersProblem(401)
  async login(
    @Body() body: LoginRequest,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SignedIn> {
    refuseCrossSite(request, this.denials);
    const signedIn = await this.signIns.signIn(body.username, body.password, request.ip);
    return this.handOver(signedIn, request, reply);
  }

  @Post('guest')
  @ApiOperation({ summary: 'Sign in as a guest, by name alone' })
  @HttpCode(200)
  @Access.public()
  @ApiOkResponse({ type: SignedIn })
  async guest(
    @Body() body: GuestRequest,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SignedIn> {
    refuseCrossSite(request, this.denials);
    const signedIn = await this.signIns.signInAsGuest(body.username, request.ip);
    return this.handOver(signedIn, request, reply);
  }

  /** Ends the session, wherever its token is in use. */
  @Post('logout')
  @ApiOperation({ summary: 'Sign out: the token ends everywhere, and its sockets with it' })
  @HttpCode(200)
  @Access.signedIn()
  @ApiOkResponse({ schema: { type: 'object', properties: {}, additionalProperties: false } })
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
  @ApiOperation({ summary: 'Who am I?' })
  @Access.signedIn()
  @ApiOkResponse({ type: Me })
  me(@By() caller: Caller): Me {
    return {
      user: { id: caller.accountId, username: caller.name, role: caller.role },
      expiresAt: caller.expiresAt?.toISOString() ?? null,
    };
  }

  /** The browser gets the new session in place of the one that it had, which ends. */
  private async handOver(
    signedIn: SignedIn,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<SignedIn> {
    await this.signIns.endSessionOf(tokenFromCookies(request.cookies, request.protocol === 'https'));
    setSessionCookie(request, reply, signedIn.accessToken, this.settings.MUSTER_JWT_TTL_S);
    return signedIn;
  }
}
