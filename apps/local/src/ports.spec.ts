import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { requireFreePort } from './ports.js';

describe('ports', () => {
  it.each([undefined, '127.0.0.1'])('names a port that is taken, and its setting (on %s)', async (host) => {
    const other = createServer().listen(0, host);
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;

    await expect(requireFreePort(port, 'PORT')).rejects.toThrow(
      `Port ${port} is taken by another program; set PORT to another port.`,
    );

    other.close();
    await once(other, 'close');
    await requireFreePort(port, 'PORT');
  });
});
