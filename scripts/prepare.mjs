import { cpSync, existsSync, rmSync } from 'node:fs';
import { installPackages, manifests, packagesAreInstalled } from './support/packages.mjs';
import { runScript } from './support/processes.mjs';
import { commandFile, inProject, pinnedNode } from './support/project.mjs';
import { makeIfChanged } from './support/stamps.mjs';
import { step } from './support/steps.mjs';
import { inTurn } from './support/turn.mjs';

const packages = {
  name: 'packages',
  inputs: ['package-lock.json', ...manifests()],
  output: 'node_modules/node',
  make: async () => {
    // They may be there although we did not install them: somebody has run npm.
    if (!packagesAreInstalled()) await step('Installing packages', installPackages);
  },
};

const generatedClient = {
  name: 'prisma-client',
  inputs: ['prisma', 'prisma.config.ts'],
  leftOut: /^prisma\/migrations/,
  output: 'libs/data/src/generated',
  make: () =>
    step('Generating the database client', () =>
      runScript(commandFile('prisma'), ['generate'], {
        env: {
          // Generating needs no engine, but without one to point at Prisma goes looking for a download.
          PRISMA_SCHEMA_ENGINE_BINARY: pinnedNode(),
          PRISMA_HIDE_UPDATE_MESSAGE: 'true',
          CHECKPOINT_DISABLE: '1',
        },
      }),
    ),
};

const apiTypes = {
  name: 'api-types',
  inputs: ['docs/openapi.json'],
  output: 'apps/console/src/api/generated/openapi.d.ts',
  make: () =>
    step('Generating the types of the API', () =>
      runScript(commandFile('openapi-typescript'), [apiTypes.inputs[0], '-o', apiTypes.output]),
    ),
};

const programs = {
  name: 'programs',
  inputs: ['apps', 'libs', 'bench', '.swcrc', 'nest-cli.json', 'tsconfig.json'],
  leftOut: /^apps\/console$|\.spec\.ts$/,
  output: 'dist/apps/local/src/main.js',
  make: () =>
    step('Building the programs', () => {
      // What was built from a file that is gone must not linger.
      rmSync(inProject('dist'), { recursive: true, force: true });
      return runScript(commandFile('@nestjs/cli', 'nest'), ['build', '--all']);
    }),
};

const built = 'apps/console/.next/standalone/apps/console';

const consolePages = {
  name: 'console',
  inputs: ['apps/console'],
  leftOut: /^apps\/console\/(\.next|next-env\.d\.ts|.*\.tsbuildinfo)$|\.spec\.tsx?$/,
  output: `${built}/server.js`,
  make: () =>
    step('Building the console', async () => {
      await runScript(commandFile('next'), ['build'], {
        cwd: inProject('apps/console'),
        env: { NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1' },
      });
      // The standalone server serves these too, but Next leaves it to us to bring them.
      copy('apps/console/.next/static', `${built}/.next/static`);
      copy('apps/console/public', `${built}/public`);
    }),
};

/**
 * Brings the folder to where programs can run: packages, generated code and, if asked for, builds. Only
 * what has changed since is done. Returns the names of what was made anew.
 */
export function prepare({ builds }) {
  return inTurn(async () => {
    const wanted = [
      packages,
      generatedClient,
      ...(existsSync(inProject(apiTypes.inputs[0])) ? [apiTypes] : []),
      ...builds,
    ];
    const made = [];
    for (const artifact of wanted) {
      if (await makeIfChanged(artifact)) made.push(artifact.name);
    }
    return made;
  });
}

export { consolePages, programs };

function copy(from, to) {
  if (existsSync(inProject(from))) cpSync(inProject(from), inProject(to), { recursive: true });
}
