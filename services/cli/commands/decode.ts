import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { Command } from 'commander';
import { BlockFormatError } from '../../ingest/block-format-error.ts';
import { hasRules } from '../../ingest/evm/chain-rules.ts';
import { type BlockFile, findBlockFiles } from '../../ingest/files/block-files.ts';
import type { DecodedBlock } from '../../investigate/model/block.ts';
import { findChain } from '../../investigate/model/chain.ts';
import type { Movement } from '../../investigate/model/movement.ts';
import { messageOf } from '../../platform/message-of.ts';

const WRITE_BYTES = 65_536;
const EXIT_FAILED = 1;
const EXIT_USAGE = 2;

type Totals = {
  files: number;
  failed: number;
  ignored: number;
  movements: number;
  /** Chains of which only the general form is known. */
  readonly chains_without_rules: string[];
  readonly problems: Record<string, number>;
  readonly exempt: Record<string, number>;
};

/** Where the command writes; the process's own streams unless a test gives others. */
export type DecodeStreams = { readonly out: Writable; readonly err: Writable };

/** `spoor decode FILE… [--chain NAME]`: the movements of block files as JSON lines, without any engine. */
export const decodeCommand = (): Command =>
  new Command('decode')
    .description('Print the movements of block files as JSON lines.')
    .argument(
      '<files...>',
      'Solana block files (.json, .json.gz), folders of EVM blocks, or folders of either',
    )
    .option('--chain <name>', 'chain of the blocks, where their folder does not name it')
    .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : EXIT_USAGE))
    .action(async (files: string[], options: { chain?: string }) => {
      process.exitCode = await decodeFiles(files, options.chain ?? null, {
        out: process.stdout,
        err: process.stderr,
      });
    });

/** Decodes every block among `paths`; returns the exit code. A file that cannot be read does not stop the others. */
export const decodeFiles = async (
  paths: readonly string[],
  chain: string | null,
  { out, err }: DecodeStreams,
): Promise<number> => {
  const totals: Totals = {
    files: 0,
    failed: 0,
    ignored: 0,
    movements: 0,
    chains_without_rules: [],
    problems: {},
    exempt: {},
  };
  const output = new LineOutput(out);
  const ignored = (): void => {
    totals.ignored++;
  };
  const unreadable = (path: string, error: Error): void => report(err, totals, path, error);
  for await (const file of findBlockFiles(paths, { chain, votes: 'each', ignored, unreadable })) {
    if (output.isClosed) break;
    await decodeFile(file, output, err, totals);
  }
  await output.flush();
  if (totals.files + totals.failed === 0)
    report(err, totals, paths.join(' '), new BlockFormatError('no_blocks', 'there is no block file'));
  writeLine(err, { name: 'decode', ...totals });
  return totals.failed > 0 ? EXIT_FAILED : 0;
};

const decodeFile = async (
  file: BlockFile,
  output: LineOutput,
  err: Writable,
  totals: Totals,
): Promise<void> => {
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
  for (const movement of block.movements) {
    // Zero amounts stay in events, where look-alikes are found by them; they move nothing.
    if (movement.amountRaw === 0n) continue;
    totals.movements++;
    await output.write(toLine(block, movement, hashes));
    if (output.isClosed) return;
  }
};

/** Once a chain: nobody knows who gets its fees, and a mistyped name looks the same. */
const warnOfChain = (
  chain: string,
  file: string,
  err: Writable,
  { chains_without_rules: strangers }: Totals,
): void => {
  if (findChain(chain) || hasRules(chain) || strangers.includes(chain)) return;
  strangers.push(chain);
  const message = `${chain} is no chain with rules of its own`;
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
  return JSON.stringify({
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
  });
};

const writeLine = (stream: Writable, value: object): void => {
  stream.write(`${JSON.stringify(value)}\n`);
};

/** Lines in large writes that wait for the reader, and that stop without a fuss when it has gone (`| head`). */
class LineOutput {
  isClosed = false;
  private readonly stream: Writable;
  private pending: string[] = [];
  private pendingLength = 0;

  constructor(stream: Writable) {
    this.stream = stream;
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
      this.isClosed = true;
    });
    stream.on('close', () => {
      this.isClosed = true;
    });
  }

  async write(line: string): Promise<void> {
    this.pending.push(line, '\n');
    this.pendingLength += line.length + 1;
    if (this.pendingLength >= WRITE_BYTES) await this.flush();
  }

  async flush(): Promise<void> {
    const text = this.pending.join('');
    this.pending = [];
    this.pendingLength = 0;
    if (text === '' || this.isClosed || this.stream.write(text)) return;
    const gone = new AbortController();
    const stop = (): void => gone.abort();
    this.stream.once('close', stop);
    this.stream.once('error', stop);
    try {
      await once(this.stream, 'drain', { signal: gone.signal });
    } catch {
      // Nobody reads any more: the error listener above has noted it.
      this.isClosed = true;
    } finally {
      this.stream.off('close', stop);
      this.stream.off('error', stop);
    }
  }
}
