import { readFileSync } from 'node:fs';
import { Command } from 'commander';

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

const program = new Command('spoor')
  .description('Follows money on Solana and EVM chains.')
  .version(version)
  .showHelpAfterError();

await program.parseAsync();
