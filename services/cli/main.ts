import tab from '@bomb.sh/tab/commander';
import { Command } from 'commander';
import { programVersion } from '../platform/program-version.ts';
import { COMMANDS } from './commands.ts';
import { EXIT_FAILED, EXIT_USAGE, tellFailure } from './tell-failure.ts';

const EXIT_CODES = `
Exit codes: 0 done, 1 it could not be done or something is wrong, 2 wrong usage, 130 interrupted.`;
const HELP = `
Example:
  spoor follow ADDRESS --chain ethereum --since 2025-09-01

Progress and logs go to stderr, results to stdout. The configuration is in variables: see README.md.
Completion of commands and options: source <(spoor completion bash), also zsh, fish and powershell.`;

const program = new Command('spoor')
  .description('Follows money on Solana and EVM chains.')
  .version(programVersion())
  .showHelpAfterError()
  .addHelpText('after', HELP)
  .addHelpText('afterAll', EXIT_CODES);

const [called = ''] = process.argv.slice(2);
const needed = called === '--version' || called === '-V' ? [] : Object.entries(COMMANDS);
for (const [name, load] of needed)
  if (name === called || !Object.hasOwn(COMMANDS, called)) program.addCommand(await load());
tab(program, { completionCommandName: 'completion' });
for (const command of [program, ...program.commands, ...program.commands.flatMap((c) => c.commands)]) {
  command.exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : EXIT_USAGE));
}
// On an older Node a launcher is the parent. When it is killed, this process must end as well.
if (process.connected === false) process.exit(1);
if (process.channel) {
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
  process.channel.unref();
}

// A closed pipe (`| head`) does not abort an import; a full disk does, with a message.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') return;
    process.stderr.write(`spoor: what it prints cannot be written: ${error.message}\n`);
    process.exit(EXIT_FAILED);
  });

try {
  await program.parseAsync();
} catch (error) {
  const { stderr, code } = tellFailure(error);
  process.stderr.write(stderr);
  process.exitCode = code;
}
