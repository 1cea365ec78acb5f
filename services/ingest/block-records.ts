import type { BlockEncoder } from '../events/encode-block.ts';
import type { DecodedBlock, DecodeProblem } from '../investigate/model/block.ts';
import { deadLetter } from '../platform/event-log/dead-letters.ts';
import type { AppendRecord } from '../platform/event-log/event-log.ts';
import { messageOf } from '../platform/message-of.ts';
import { BlockFormatError } from './block-format-error.ts';

const PROBLEMS_LISTED_MAX = 1_000;
// The log takes 1 MiB including headers. Parts are split below that; only a single row can be longer.
const RECORD_BYTES_MAX = 1_000_000;

/**
 * The records of one block, to be appended together: its parts, and one dead letter that names what could not be
 * decoded, so that no block is silently incomplete. @throws BlockFormatError `record_too_large` if the log cannot
 * take it
 */
export const blockRecords = (
  block: DecodedBlock,
  encode: BlockEncoder,
  at: { topic: string; key: string; partition?: number },
): AppendRecord[] => {
  const records: AppendRecord[] = encode(block).map((value) => ({ ...at, value }));
  const large = records.find(({ value }) => value.length > RECORD_BYTES_MAX);
  if (large) {
    const message = `a row of the block makes a record of ${large.value.length} bytes`;
    throw new BlockFormatError('record_too_large', message);
  }
  if (block.problems.length > 0) {
    const { chain, number, hash, problems } = block;
    const codes = [...new Set(problems.map((p) => p.code))].join(', ');
    const original = Buffer.from(
      JSON.stringify({ chain, number, hash, problems: problems.slice(0, PROBLEMS_LISTED_MAX) }),
    );
    records.push(
      deadLetter({
        source: `${chain}/${number}/${hash}`,
        reason: `${problems.length} problems: ${codes}`,
        original,
      }),
    );
  }
  return records;
};

export type RecordsOfBlock = {
  readonly records: readonly AppendRecord[];
  /** What could not be decoded of it, or why nothing of it can be stored. */
  readonly problems: readonly DecodeProblem[];
};

/**
 * The same for a block that others follow. If the log can never take it, or our own code fails at it (`internal`),
 * the whole block becomes a dead letter: its chain goes on, and an audit sees the gap.
 */
export const recordsOrDeadLetter = (
  block: DecodedBlock,
  encode: BlockEncoder,
  at: { topic: string; key: string; partition?: number },
): RecordsOfBlock => {
  try {
    return { records: blockRecords(block, encode, at), problems: block.problems };
  } catch (error) {
    // Encoding uses memory only, so a failure repeats, for this block and no other.
    const code = error instanceof BlockFormatError ? error.code : 'internal';
    const message = messageOf(error);
    const { chain, number, hash } = block;
    const letter = deadLetter({
      source: `${chain}/${number}/${hash}`,
      reason: `${code}: ${message}`,
      original: Buffer.from(JSON.stringify({ chain, number, hash })),
    });
    return { records: [letter], problems: [...block.problems, { code, txIndex: null, message }] };
  }
};
