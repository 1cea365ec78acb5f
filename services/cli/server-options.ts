import { type Command, InvalidArgumentError, Option } from 'commander';
import { loadConfig } from '../platform/config/config.ts';
import { chooseStore } from '../roles/store/choose-store.ts';
import { storeFolder } from '../roles/store/open-store.ts';
import { findServer } from '../roles/store/server-address.ts';

/** The server to ask, and the key that pays. */
export type ServerOptions = { readonly url?: URL; readonly key?: string; readonly local?: boolean };

/** Adds `--url` and `--key` to commands that ask a running server. */
export const withServerOptions = (command: Command): Command =>
  command
    .addOption(
      new Option('--url <url>', 'the server to ask; default: the one that runs on SPOOR_DATA')
        .env('SPOOR_URL')
        .argParser(parseServer),
    )
    .addOption(
      new Option(
        '--key <key>',
        'the API key that pays; better in SPOOR_KEY, where no process list shows it',
      ).env('SPOOR_KEY'),
    );

/** The server that is named, or runs on the data folder, or would listen where the configuration says. */
export const chooseServer = ({ url }: ServerOptions): URL => {
  if (url !== undefined) return url;
  const config = loadConfig(process.env);
  const running = findServer(storeFolder(config.dataFolder, chooseStore(config)));
  return running ?? new URL(`http://127.0.0.1:${config.port || 8402}`);
};

const parseServer = (text: string): URL => {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  throw new InvalidArgumentError('use an http or https address');
};
