import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { startEmbeddedServer } from '../../dist/libs/data/src/embedded/embedded-server.js';

const IMAGE = 'postgres:18-alpine';
const MAX_CONNECTIONS = '300';

/**
 * The PostgreSQL that the tests run on. A container when a Docker engine answers, else the embedded server.
 * MUSTER_TEST_DATABASE=container insists on the container, =embedded on the embedded server.
 */
export async function startServer() {
  const wish = process.env.MUSTER_TEST_DATABASE ?? '';
  if (!['', 'container', 'embedded'].includes(wish)) {
    throw new Error(`MUSTER_TEST_DATABASE is "container", "embedded" or not set, not "${wish}"`);
  }
  if (wish === 'container') return startContainer();
  if (wish === '' && (await engineAnswers())) {
    try {
      return await startContainer();
    } catch (error) {
      console.log(
        `\nA Docker engine answers, but no container came up (${error.message}): using the embedded server`,
      );
    }
  }
  return startEmbedded();
}

async function startContainer() {
  const { PostgreSqlContainer } = await import('@testcontainers/postgresql');
  const container = await new PostgreSqlContainer(process.env.MUSTER_TEST_IMAGE ?? IMAGE)
    .withUsername('muster')
    .withDatabase('muster')
    .withCommand(['postgres', '-c', `max_connections=${MAX_CONNECTIONS}`, '-c', 'fsync=off'])
    .start();
  return {
    description: `a container of ${process.env.MUSTER_TEST_IMAGE ?? IMAGE}`,
    url: container.getConnectionUri(),
    stop: () => container.stop(),
  };
}

async function startEmbedded() {
  const directory = await mkdtemp(path.join(os.tmpdir(), 'muster-test-'));
  const server = await startEmbeddedServer({
    directory,
    settings: { fsync: 'off', max_connections: MAX_CONNECTIONS },
  });
  return {
    description: 'the embedded PostgreSQL',
    url: server.url,
    stop: async () => {
      await server.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

async function engineAnswers() {
  try {
    const { getContainerRuntimeClient } = await import('testcontainers');
    await getContainerRuntimeClient();
    return true;
  } catch {
    return false;
  }
}
