import tab from '@bomb.sh/tab/commander';
import { Command } from 'commander';
import { programVersion } from '../platform/program-version.ts';
import { showableLines } from '../platform/showable.ts';
import { EXIT_INTERRUPTED, InterruptedError } from './interrupt.ts';

const EXIT_FAILED = 1;
const EXIT_USAGE = 2;

/** Each is loaded where it is called: most load in a third of the time that all of them take. */
const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  start: async () => (await import('./commands/start.ts')).startCommand(),
  analyze: async () => (await import('./commands/analyze.ts')).analyzeCommand(),
  follow: async () => (await import('./commands/follow.ts')).followCommand(),
  trace: async () => (await import('./commands/trace.ts')).traceCommand(),
  insiders: async () => (await import('./commands/insiders.ts')).insidersCommand(),
  victims: async () => (await import('./commands/victims.ts')).victimsCommand(),
  decode: async () => (await import('./commands/decode.ts')).decodeCommand(),
  replay: async () => (await import('./commands/replay.ts')).replayCommand(),
  ingest: async () => (await import('./commands/ingest.ts')).ingestCommand(),
  labels: async () => (await import('./commands/labels.ts')).labelsCommand(),
  prices: async () => (await import('./commands/prices.ts')).pricesCommand(),
  rebuild: async () => (await import('./commands/rebuild.ts')).rebuildCommand(),
  doctor: async () => (await import('./commands/doctor.ts')).doctorCommand(),
  accounts: async () => (await import('./commands/accounts.ts')).accountsCommand(),
  keys: async () => (await import('./commands/keys.ts')).keysCommand(),
  ledger: async () => (await import('./commands/ledger.ts')).ledgerCommand(),
  payments: async () => (await import('./commands/payments.ts')).paymentsCommand(),
  mcp: async () => (await import('./commands/mcp.ts')).mcpCommand(),
  'sql-login': async () => (await import('./commands/sql-login.ts')).sqlLoginCommand(),
  topics: async () => (await import('./commands/topics.ts')).topicsCommand(),
};

const HELP = `
Exit codes: 0 done, 1 it could not be done, 2 wrong usage, 130 interrupted.
Completion of commands and options: source <(spoor completion bash), also zsh, fish and powershell.`;

const program = new Command('spoor')
  .description('Follows money on Solana and EVM chains.')
  .version(programVersion())
  .showHelpAfterError()
  .addHelpText('after', HELP);

const [called = ''] = process.argv.slice(2);
for (const [name, load] of Object.entries(COMMANDS))
  if (name === called || !Object.hasOwn(COMMANDS, called)) program.addCommand(await load());
tab(program, { completionCommandName: 'completion' });
for (const command of [program, ...program.commands, ...program.commands.flatMap((c) => c.commands)]) {
  command.exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : EXIT_USAGE));
}
// Started through a launcher on an older Node: when that is killed, this must not go on alone, nor begin.
if (process.connected === false) process.exit(1);
if (process.channel) {
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
  process.channel.unref();
}

// A reader that leaves (`| head`) ends no import halfway; a full disk does, in a sentence.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') return;
    process.stderr.write(`spoor: what it prints cannot be written: ${error.message}\n`);
    process.exit(EXIT_FAILED);
  });

try {
  await program.parseAsync();
} catch (error) {
  // Errors with a code are ours and say what to do; of any other the place is what helps.
  const known = error instanceof Error && 'code' in error;
  const text = known ? error.message : error instanceof Error ? error.stack : String(error);
  process.stderr.write(`spoor: ${showableLines(text ?? '')}\n`);
  process.exitCode = error instanceof InterruptedError ? EXIT_INTERRUPTED : EXIT_FAILED;
}
