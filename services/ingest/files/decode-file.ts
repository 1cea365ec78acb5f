import type { BlockEncoder } from '../../events/encode-block.ts';
import { historyKey } from '../../events/history-key.ts';
import type { DecodeProblem } from '../../investigate/model/block.ts';
import { CHAINS, findChain } from '../../investigate/model/chain.ts';
import type { AppendRecord } from '../../platform/event-log/event-log.ts';
import { messageOf } from '../../platform/message-of.ts';
import { BlockFormatError } from '../block-format-error.ts';
import { blockRecords } from '../block-records.ts';
import { findBlockFiles } from './block-files.ts';

/** The report on a stored block; counts by code or reason. */
export type BlockSummary = {
  readonly chain: string;
  readonly number: number;
  readonly hash: string;
  readonly movements: number;
  readonly problems: Readonly<Record<string, number>>;
  /** One of each code. */
  readonly firstProblems: readonly DecodeProblem[];
  readonly exempt: Readonly<Record<string, number>>;
};

export type DecodedFile =
  /** `bytes` are uncompressed; the records are ready for the log. */
  | {
      readonly status: 'block';
      readonly bytes: number;
      readonly records: AppendRecord[];
      readonly block: BlockSummary;
    }
  /** Not a block, for good. `original` is kept in the dead letter. */
  | {
      readonly status: 'refused';
      readonly code: string;
      readonly reason: string;
      readonly original: Uint8Array;
    }
  /** Not readable now; worth another attempt. */
  | { readonly status: 'unreadable'; readonly reason: string };

const REASON_LENGTH_MAX = 500;

const countBy = (names: readonly string[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
};

const firstOfEach = (problems: readonly DecodeProblem[]): DecodeProblem[] => [
  ...new Map(problems.toReversed().map((problem) => [problem.code, problem])).values(),
];

// The request is wrong, not the file: another --chain or folder name solves it.
const WRONGLY_NAMED: readonly string[] = ['chain_unknown', 'chain_family', 'chain_not_known'];

/** Whatever fails in one file, including our own errors, the others must go on. */
const refuse = (error: unknown, original: Uint8Array): DecodedFile => {
  const isFormat = error instanceof BlockFormatError;
  const code = isFormat ? error.code : 'internal';
  const reason = (isFormat ? error.message : String(error)).slice(0, REASON_LENGTH_MAX);
  return WRONGLY_NAMED.includes(code)
    ? { status: 'unreadable', reason: `${code}: ${reason}` }
    : { status: 'refused', code, reason, original };
};

const refuseUnknown = (chain: string): void => {
  if (findChain(chain)) return;
  const known = CHAINS.map(({ name }) => name).join(', ');
  throw new BlockFormatError(
    'chain_not_known',
    `${chain} is not one of ${known}: name the chain with --chain`,
  );
};

const decodeFile = async (path: string, chain: string | null, encode: BlockEncoder): Promise<DecodedFile> => {
  for await (const file of findBlockFiles([path], { chain, votes: 'sum' })) {
    const content = await file.read();
    try {
      const block = content.decode();
      refuseUnknown(block.chain);
      const key = historyKey(block.chain, block.number);
      const lengths = Object.entries(block.exempt).map(
        ([reason, transactions]) => [reason, transactions.length] as const,
      );
      return {
        status: 'block',
        bytes: content.bytes,
        records: blockRecords(block, encode, { topic: 'transfers.history', key }),
        block: {
          chain: block.chain,
          number: block.number,
          hash: block.hash,
          movements: block.movements.length,
          problems: countBy(block.problems.map(({ code }) => code)),
          firstProblems: firstOfEach(block.problems),
          exempt: Object.fromEntries(lengths),
        },
      };
    } catch (error) {
      return refuse(error, content.original);
    }
  }
  return { status: 'unreadable', reason: 'the block file is gone' };
};

/**
 * Reads one block file (or EVM folder) and makes its records. Wrong content and unreadable files are results, not
 * exceptions; `internal` is an error of ours. Never throws.
 */
export const tryDecodeFile = async (
  path: string,
  chain: string | null,
  encode: BlockEncoder,
): Promise<DecodedFile> => {
  try {
    return await decodeFile(path, chain, encode);
  } catch (error) {
    return { status: 'unreadable', reason: messageOf(error) };
  }
};
