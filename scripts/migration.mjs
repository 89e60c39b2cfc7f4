// Shows the SQL that prisma/*.prisma asks for and the migrations do not have yet. With a name, writes it down as
// the next migration: node scripts/migration.mjs add_enrolment_tokens
import './support/require-node.mjs';
import { prepare, programs } from './prepare.mjs';
import { CommandFailure, main } from './support/failure.mjs';
import { handOver } from './support/processes.mjs';
import { inProject } from './support/project.mjs';

const [name, ...more] = process.argv.slice(2);

await main(async () => {
  if (more.length > 0 || !/^[a-z0-9_]*$/.test(name ?? '')) {
    throw new CommandFailure('The name of a migration is one word in snake_case.');
  }
  await prepare({ builds: [programs] });
  return handOver([inProject('scripts/support/next-migration.mjs'), ...(name ? [name] : [])]).ended;
});
