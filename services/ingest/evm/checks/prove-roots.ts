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

/** A root of the header; null if it has none. */
export const readRoot = (value: unknown): string | null =>
  typeof value === 'string' && ROOT.test(value) ? value.toLowerCase() : null;

/**
 * null if something is malformed, so that it is in no trie. `hasStatus`: the receipts have a status, not a state
 * root.
 */
export const receiptsRoot = (entries: readonly Entry[], hasStatus = true): string | null =>
  orNone(() => {
    const types = entries.map(({ tx }) => readType(tx));
    return rootOf(entries, (writer, entry, at) =>
      writeReceipt(writer, entry.receipt, types[at] ?? '', hasStatus),
    );
  });

/** The hashed form of a transaction; undefined if its form is unknown, null if it is malformed. */
export type Signed = Uint8Array | null | undefined;

export const writeSigned = (entries: readonly Entry[]): readonly Signed[] => {
  const writer = new RlpWriter();
  return entries.map(({ tx }) => {
    const type = orNone(() => readType(tx));
    if (type === null || !isWritable(tx, type)) return undefined;
    writer.take();
    return orNone(() => {
      writeTransaction(writer, tx, type);
      return Uint8Array.from(writer.take());
    });
  });
};

/** The root of transactions; undefined if one has an unknown form. */
export const transactionsRoot = (signed: readonly Signed[]): string | null | undefined => {
  if (signed.includes(undefined)) return undefined;
  if (signed.includes(null)) return null;
  return orderedRoot(signed.length, new RlpWriter(), (writer, at) => writer.raw(signed[at] ?? NOTHING));
};

const NOTHING = new Uint8Array();

export const transactionHash = (signed: Uint8Array): string =>
  `0x${Buffer.from(keccak(signed)).toString('hex')}`;

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

/** null if something is malformed. */
export const orNone = <T>(action: () => T): T | null => {
  try {
    return action();
  } catch (error) {
    if (error instanceof BlockFormatError) return null;
    throw error;
  }
};
