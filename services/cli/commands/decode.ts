import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Command } from 'commander';
import { BlockFormatError } from '../../ingest/block-format-error.ts';
import { hasRules } from '../../ingest/evm/chain-rules.ts';
import { type BlockFile, findBlockFiles } from '../../ingest/files/block-files.ts';
import type { DecodedBlock } from '../../investigate/model/block.ts';
import { findChain } from '../../investigate/model/chain.ts';
import type { ControlEvent } from '../../investigate/model/control-event.ts';
import type { Movement } from '../../investigate/model/movement.ts';
import { messageOf } from '../../platform/message-of.ts';
import { example } from '../example.ts';
import { startWaiting } from '../reports/start-waiting.ts';

const LINES_AT_ONCE = 200;
const LEFT = ['EPIPE', 'ERR_STREAM_PREMATURE_CLOSE'];
const EXIT_FAILED = 1;
const EXIT_USAGE = 2;

type Totals = {
  files: number;
  failed: number;
  ignored: number;
  movements: number;
  /** Only with `--control`. */
  control_events?: number;
  /** Chains without rules of their own. */
  readonly chains_without_rules: string[];
  readonly problems: Record<string, number>;
  readonly exempt: Record<string, number>;
};

/** Where the command writes; tests replace the process's streams. */
export type DecodeStreams = { readonly out: Writable; readonly err: Writable };

/**
 * `spoor decode FILE… [--chain NAME] [--control]`: prints the movements of block files as JSON lines, without any
 * engine.
 */
export const decodeCommand = (): Command =>
  new Command('decode')
    .description('Print the movements of block files as JSON lines.')
    .argument(
      '<files...>',
      'Solana block files (.json, .json.gz), folders of EVM blocks, or folders of either',
    )
    .option('--chain <name>', 'chain of the blocks, where their folder does not name it')
    .option(
      '--control',
      'also print control events (approvals, authorities, creations) after the movements of each block',
    )
    .addHelpText('after', example('spoor decode block.json.gz --control > movements.jsonl'))
    .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : EXIT_USAGE))
    .action(async (files: string[], options: { chain?: string; control?: true }) => {
      const { chain = null, control = false } = options;
      const streams = { out: process.stdout, err: process.stderr };
      process.exitCode = await decodeFiles(files, { chain, control }, streams);
    });

/** Decodes every block among `paths`; returns the exit code. An unreadable file does not stop the others. */
export const decodeFiles = async (
  paths: readonly string[],
  { chain, control = false }: { readonly chain: string | null; readonly control?: boolean },
  { out, err }: DecodeStreams,
): Promise<number> => {
  const totals: Totals = {
    files: 0,
    failed: 0,
    ignored: 0,
    movements: 0,
    ...(control && { control_events: 0 }),
    chains_without_rules: [],
    problems: {},
    exempt: {},
  };
  const ignored = (): void => {
    totals.ignored++;
  };
  const unreadable = (path: string, error: Error): void => report(err, totals, path, error);
  const files = findBlockFiles(paths, { chain, votes: 'each', ignored, unreadable });
  const printed = async function* () {
    for await (const file of files) yield* decodeFile(file, err, totals);
  };
  // A person who sees the lines needs no progress, and programs expect JSON on stderr.
  const isUnseen = out === process.stdout && process.stderr.isTTY && !process.stdout.isTTY;
  const waiting = isUnseen
    ? startWaiting(() => `${totals.files} blocks, ${totals.movements} movements`)
    : null;
  await pipeline(printed, out, { end: false })
    .catch(unlessReaderLeft)
    .finally(() => waiting?.stop());
  if (totals.files + totals.failed === 0)
    report(err, totals, paths.join(' '), new BlockFormatError('no_blocks', 'there is no block file'));
  writeLine(err, { name: 'decode', ...totals });
  return totals.failed > 0 ? EXIT_FAILED : 0;
};

/** A closed pipe (`| head`) ends the command quietly. */
const unlessReaderLeft = (error: unknown): void => {
  if (!LEFT.includes(Object(error).code)) throw error;
};

/** The lines of a block's movements; none if it cannot be read, which is reported. */
async function* decodeFile(file: BlockFile, err: Writable, totals: Totals): AsyncGenerator<string> {
  let block: DecodedBlock;
  try {
    block = (await file.read()).decode();
  } catch (error) {
    report(err, totals, file.path, error);
    return;
  }
  totals.files++;
  warnOfChain(block.chain, file.path, err, totals);
  for (const { code, txIndex, message } of block.problems) {
    totals.problems[code] = (totals.problems[code] ?? 0) + 1;
    writeLine(err, { error: code, file: file.path, tx_index: txIndex, message });
  }
  for (const [reason, transactions] of Object.entries(block.exempt))
    totals.exempt[reason] = (totals.exempt[reason] ?? 0) + transactions.length;
  const hashes = new Map(block.transactions.map(({ txIndex, hash }) => [txIndex, hash]));
  // Zero amounts move nothing. They stay in events only because look-alikes are found by them.
  const moved = block.movements.filter(({ amountRaw }) => amountRaw > 0n);
  for (let at = 0; at < moved.length; at += LINES_AT_ONCE) {
    const lines = moved.slice(at, at + LINES_AT_ONCE).map((movement) => toLine(block, movement, hashes));
    totals.movements += lines.length;
    yield lines.join('');
  }
  if (totals.control_events === undefined) return;
  totals.control_events += block.controlEvents.length;
  yield block.controlEvents.map((event) => toControlLine(block, event, hashes)).join('');
}

/** Reported once a chain: fee recipients are unknown, and a mistyped name looks the same. */
const warnOfChain = (
  chain: string,
  file: string,
  err: Writable,
  { chains_without_rules: strangers }: Totals,
): void => {
  if (findChain(chain) || hasRules(chain) || strangers.includes(chain)) return;
  strangers.push(chain);
  const message = `${chain} has no chain rules of its own`;
  writeLine(err, { error: 'chain_without_rules', file, tx_index: null, message });
};

const report = (err: Writable, totals: Totals, file: string, error: unknown): void => {
  totals.failed++;
  const code = error instanceof BlockFormatError ? error.code : systemCode(error);
  totals.problems[code] = (totals.problems[code] ?? 0) + 1;
  const message = messageOf(error);
  writeLine(err, { error: code, file, tx_index: null, message });
};

const systemCode = (error: unknown): string =>
  error instanceof Error && 'code' in error ? `unreadable_${String(error.code).toLowerCase()}` : 'internal';

const toLine = (block: DecodedBlock, movement: Movement, hashes: ReadonlyMap<number, string>): string => {
  const { txIndex, index, kind, from, to, asset, amountRaw, authority } = movement;
  const line = {
    chain: block.chain,
    block_number: block.number,
    block_time: block.timeUnixSeconds,
    tx_index: txIndex,
    tx_hash: txIndex === null ? null : (hashes.get(txIndex) ?? null),
    index,
    kind,
    from,
    to,
    asset,
    amount_raw: String(amountRaw),
    authority,
  };
  return `${JSON.stringify(line)}\n`;
};

const toControlLine = (
  block: DecodedBlock,
  { txIndex, index, kind, amountRaw, byHolder, ...told }: ControlEvent,
  hashes: ReadonlyMap<number, string>,
): string => {
  const line = {
    chain: block.chain,
    block_number: block.number,
    block_time: block.timeUnixSeconds,
    tx_index: txIndex,
    tx_hash: hashes.get(txIndex) ?? null,
    control_index: index,
    control: kind,
    ...told,
    amount_raw: String(amountRaw),
    by_holder: byHolder,
  };
  return `${JSON.stringify(line)}\n`;
};

const writeLine = (stream: Writable, value: object): void => {
  stream.write(`${JSON.stringify(value)}\n`);
};
