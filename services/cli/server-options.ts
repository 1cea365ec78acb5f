import { type Command, InvalidArgumentError, Option } from 'commander';

/** The server to ask, and the key that pays. */
export type ServerOptions = { readonly url: URL; readonly key?: string; readonly local?: boolean };

/** Adds `--url` and `--key` to commands that ask a running server. */
export const withServerOptions = (command: Command): Command =>
  command
    .addOption(
      new Option('--url <url>', 'the server to ask')
        .env('SPOOR_URL')
        .argParser(parseServer)
        .default(new URL('http://127.0.0.1:8402'), 'http://127.0.0.1:8402'),
    )
    .addOption(
      new Option(
        '--key <key>',
        'the API key that pays; better in SPOOR_KEY, where no process list shows it',
      ).env('SPOOR_KEY'),
    );

const parseServer = (text: string): URL => {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  throw new InvalidArgumentError('use an http or https address');
};
