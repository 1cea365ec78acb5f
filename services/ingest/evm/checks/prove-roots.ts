import { BlockFormatError } from '../../block-format-error.ts';
import { readType } from '../charge-fees.ts';
import type { RawObject } from '../read-hex.ts';
import { keccak } from '../roots/keccak.ts';
import { orderedRoot, type WriteItem } from '../roots/ordered-trie.ts';
import { RlpWriter } from '../roots/rlp-writer.ts';
import { writeReceipt } from '../roots/write-receipt.ts';
import { isWritable, writeTransaction } from '../roots/write-transaction.ts';

/** A transaction with its receipt, each as an object. */
export type Entry = { readonly txIndex: number; readonly tx: RawObject; readonly receipt: RawObject };

const ROOT = /^0x[0-9a-fA-F]{64}$/;

/** A root as a header tells it; null where it tells none. */
export const readRoot = (value: unknown): string | null =>
  typeof value === 'string' && ROOT.test(value) ? value.toLowerCase() : null;

/**
 * null where something of them is malformed, so that they are in no trie. `hasStatus`: whether they tell a status, instead of the state
 * behind them.
 */
export const receiptsRoot = (entries: readonly Entry[], hasStatus = true): string | null =>
  orNone(() => {
    const types = entries.map(({ tx }) => readType(tx));
    return rootOf(entries, (writer, entry, at) =>
      writeReceipt(writer, entry.receipt, types[at] ?? '', hasStatus),
    );
  });

/** The same of transactions; undefined where the form of one is not known. */
export const transactionsRoot = (entries: readonly Entry[]): string | null | undefined => {
  const types = orNone(() => entries.map(({ tx }) => readType(tx)));
  if (types === null || !entries.every(({ tx }, at) => isWritable(tx, types[at] ?? ''))) return undefined;
  return orNone(() => rootOf(entries, (writer, { tx }, at) => writeTransaction(writer, tx, types[at] ?? '')));
};

/** The hash that a transaction has by what it says; undefined where its form is not known, null where it is malformed. */
export const transactionHash = ({ tx }: Entry): string | null | undefined => {
  const type = orNone(() => readType(tx));
  if (type === null || !isWritable(tx, type)) return undefined;
  return orNone(() => {
    const writer = new RlpWriter(HASHED_BYTES);
    writeTransaction(writer, tx, type);
    return `0x${Buffer.from(keccak(writer.take())).toString('hex')}`;
  });
};

const HASHED_BYTES = 512;

const rootOf = (
  entries: readonly Entry[],
  write: (writer: RlpWriter, entry: Entry, at: number) => void,
): string => {
  const writeItem: WriteItem = (writer, at) => {
    const entry = entries[at];
    if (entry) write(writer, entry, at);
  };
  return orderedRoot(entries.length, new RlpWriter(), writeItem);
};

const orNone = <T>(action: () => T): T | null => {
  try {
    return action();
  } catch (error) {
    if (error instanceof BlockFormatError) return null;
    throw error;
  }
};
