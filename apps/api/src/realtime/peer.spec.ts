import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { peerReader } from './peer.js';

const request = (remoteAddress: string | undefined, headers: IncomingMessage['headers']) =>
  ({ socket: { remoteAddress }, headers: { host: 'api:4000', ...headers } }) as IncomingMessage;

const forwarded = {
  'x-forwarded-for': '192.0.2.7',
  'x-forwarded-host': 'muster.example',
  'x-forwarded-proto': 'https',
};

describe('who is behind a request', () => {
  it('is told by a trusted proxy', () => {
    const peerOf = peerReader('loopback, 10.0.0.0/8');
    const peer = { address: '192.0.2.7', host: 'muster.example', isSecure: true };
    expect(peerOf(request('127.0.0.1', forwarded))).toEqual(peer);
    expect(peerOf(request('::1', forwarded))).toEqual(peer);
    expect(peerOf(request('::ffff:10.1.2.3', forwarded))).toEqual(peer);
  });

  it('is not told by anybody else', () => {
    expect(peerReader('10.0.0.1')(request('127.0.0.1', forwarded))).toEqual({
      address: '127.0.0.1',
      host: 'api:4000',
      isSecure: false,
    });
  });

  it('is what the nearest proxy says, not what was written before it', () => {
    const headers = {
      'x-forwarded-for': '203.0.113.1, 192.0.2.7',
      'x-forwarded-host': 'evil.example, muster.example',
      'x-forwarded-proto': 'https, http',
    };
    expect(peerReader('loopback')(request('127.0.0.1', headers))).toEqual({
      address: '192.0.2.7',
      host: 'muster.example',
      isSecure: false,
    });
  });

  it('can be read although the connection has gone', () => {
    expect(peerReader('loopback')(request(undefined, {}))).toEqual({
      address: 'unknown',
      host: 'api:4000',
      isSecure: false,
    });
  });
});
