import { Command, InvalidArgumentError, Option } from 'commander';
import { openReferenceEvents } from '../../events/reference-events.ts';
import type { CanonicalAsset } from '../../investigate/model/asset.ts';
import { CHAINS, findChain } from '../../investigate/model/chain.ts';
import { loadConfig } from '../../platform/config/config.ts';
import { readTime } from '../../platform/read-time.ts';
import { readAsset } from '../../prices/check-price-row.ts';
import { withdrawPrices } from '../../prices/withdraw-prices.ts';
import type { Store } from '../../roles/store/open-store.ts';
import { example } from '../example.ts';
import { EXIT_INTERRUPTED, interruptSignal } from '../interrupt.ts';
import { startProgress } from '../reports/progress.ts';
import { whileWaiting } from '../reports/start-waiting.ts';
import { runImport } from '../run-import.ts';

type Options = {
  readonly chain: string;
  readonly asset: string;
  readonly source: string;
  readonly from: number;
  readonly until?: number;
  readonly reason: string;
  readonly json?: boolean;
};

const EXIT = { done: 0, nothing: 1, interrupted: EXIT_INTERRUPTED };

/** `spoor prices withdraw`: withdraws wrong imported prices. */
export const withdrawCommand = (): Command =>
  new Command('withdraw')
    .description('Take back prices of an imported list that were wrong.')
    .addOption(
      new Option('--chain <name>', 'chain of the asset')
        .choices(CHAINS.map(({ name }) => name))
        .makeOptionMandatory(),
    )
    .requiredOption('--asset <address>', 'address of the asset, or native for the coin of the chain')
    .requiredOption('--source <name>', 'name of the list, as answers give it behind import:')
    .requiredOption('--from <time>', 'time of the first wrong price, as in a list', parseTime)
    .option(
      '--until <time>',
      'time of the first price that is right again; one price, if not given',
      parseTime,
    )
    .option('--reason <text>', 'why, for whoever reads the log', '')
    .option('--json', 'end with one JSON line of totals on stdout')
    .addHelpText('after', '\nWhat was withdrawn can be imported again. Exit 1 where there is no such price.')
    .addHelpText(
      'after',
      example('spoor prices withdraw --chain ethereum --asset native --source eth --from 2024-05-01'),
    )
    .action(async (options: Options, command: Command) => {
      process.exitCode = await withdraw(options, toAsset(options, command));
    });

const parseTime = (text: string): number => {
  const seconds = readTime(text);
  if (seconds === null)
    throw new InvalidArgumentError('use unix seconds or a date, such as 2024-05-01 or 2024-05-01T12:00:00Z');
  return seconds;
};

const toAsset = ({ chain, asset }: Options, command: Command): CanonicalAsset => {
  const known = findChain(chain);
  const read = known && readAsset(known, asset);
  if (read?.ok) return read.canonicalAsset;
  return command.error(`error: option '--asset <address>': ${asset} ${read?.message ?? 'is on no chain'}`);
};

const withdraw = async (options: Options, asset: CanonicalAsset): Promise<number> => {
  const { chain, source, from, until = from + 1, reason } = options;
  const range = { chain, asset, source, fromUnixSeconds: from, untilUnixSeconds: until };
  const signal = interruptSignal();
  const progress = startProgress(process.stderr, Date.now);
  let withdrawn = 0;
  const read = async (store: Store | null): Promise<void> => {
    if (!store) return;
    const references = await openReferenceEvents(store.registry);
    const nowUnixSeconds = Math.floor(Date.now() / 1_000);
    withdrawn = await whileWaiting('reading the prices that are known', () =>
      withdrawPrices({ log: store.log, references }, range, { reason, nowUnixSeconds }),
    );
  };
  await runImport({ config: loadConfig(process.env), path: null, dryRun: false, progress, signal, read });
  progress.end();
  progress.note(`${withdrawn} prices of ${source} withdrawn`);
  if (options.json) process.stdout.write(`${JSON.stringify({ name: 'prices.withdraw', withdrawn })}\n`);
  if (signal.aborted) return EXIT.interrupted;
  return withdrawn > 0 ? EXIT.done : EXIT.nothing;
};
