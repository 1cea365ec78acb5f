import { Command } from 'commander';
import { programVersion } from '../platform/program-version.ts';
import { accountsCommand } from './commands/accounts.ts';
import { decodeCommand } from './commands/decode.ts';
import { doctorCommand } from './commands/doctor.ts';
import { ingestCommand } from './commands/ingest.ts';
import { keysCommand } from './commands/keys.ts';
import { labelsCommand } from './commands/labels.ts';
import { ledgerCommand } from './commands/ledger.ts';
import { paymentsCommand } from './commands/payments.ts';
import { pricesCommand } from './commands/prices.ts';
import { rebuildCommand } from './commands/rebuild.ts';
import { replayCommand } from './commands/replay.ts';
import { startCommand } from './commands/start.ts';
import { topicsCommand } from './commands/topics.ts';

const EXIT_FAILED = 1;
const EXIT_USAGE = 2;

const program = new Command('spoor')
  .description('Follows money on Solana and EVM chains.')
  .version(programVersion())
  .showHelpAfterError();

for (const command of [
  startCommand(),
  decodeCommand(),
  replayCommand(),
  ingestCommand(),
  labelsCommand(),
  pricesCommand(),
  rebuildCommand(),
  doctorCommand(),
  accountsCommand(),
  keysCommand(),
  ledgerCommand(),
  paymentsCommand(),
  topicsCommand(),
])
  program.addCommand(command);
for (const command of [program, ...program.commands, ...program.commands.flatMap((c) => c.commands)]) {
  command.exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : EXIT_USAGE));
}
// Started through a launcher on an older Node: when that is killed, this must not go on alone, nor begin.
if (process.connected === false) process.exit(1);
if (process.channel) {
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
  process.channel.unref();
}

try {
  await program.parseAsync();
} catch (error) {
  // Errors with a code are ours and say what to do; of any other the place is what helps.
  const known = error instanceof Error && 'code' in error;
  process.stderr.write(
    `spoor: ${known ? error.message : error instanceof Error ? error.stack : String(error)}\n`,
  );
  process.exitCode = EXIT_FAILED;
}
