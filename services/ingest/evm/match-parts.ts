import { BlockFormatError } from '../block-format-error.ts';
import { refuseTooMany } from '../block-limits.ts';
import type { RawTransaction } from './decode-transaction.ts';
import { fieldOf, type RawObject, readArray, readObject, readQuantityOr } from './read-hex.ts';

type Parts = { readonly block: unknown; readonly receipts: unknown; readonly traces: unknown };

/**
 * Each transaction with its receipt and trace in any order; undefined if missing. Throws `BlockFormatError` if the
 * parts do not belong together, or lists were emptied.
 */
export const matchParts = (
  parts: Parts,
  blockHash: string,
): { readonly transactions: readonly RawTransaction[]; readonly traced: boolean } => {
  const block = readObject(parts.block, 'block');
  const transactions = readArray(block.transactions, 'transactions');
  const receipts = readArray(parts.receipts, 'receipts');
  refuseOtherParts(block, blockHash, transactions, receipts);
  const matched = matchByHash(transactions, receipts, 'transactionHash');
  const traces = matchTraces(transactions, parts.traces);
  return {
    transactions: transactions.map((tx, txIndex) => ({
      txIndex,
      tx,
      receipt: matched[txIndex],
      trace: traces?.[txIndex],
    })),
    traced: traces !== null,
  };
};

const refuseOtherParts = (
  block: RawObject,
  blockHash: string,
  transactions: readonly unknown[],
  receipts: readonly unknown[],
): void => {
  if (receipts.length !== transactions.length) {
    const counts = `${transactions.length} transactions and ${receipts.length} receipts`;
    throw new BlockFormatError('count_mismatch', `the block has ${counts}`);
  }
  refuseEmptied(block, transactions, receipts);
  refuseTooMany(transactions);
  if (transactions.some((tx) => typeof tx !== 'object'))
    throw new BlockFormatError('transactions_not_full', 'the block lists hashes instead of transactions');
  for (const tx of transactions) refuseOtherBlock('a transaction', tx, blockHash);
  for (const receipt of receipts) refuseOther(receipt, blockHash);
};

const refuseOtherBlock = (what: string, part: unknown, blockHash: string): void => {
  const other = fieldOf(part, 'blockHash');
  if (typeof other === 'string' && other !== blockHash && other.toLowerCase() !== blockHash)
    throw new BlockFormatError('block_mismatch', `${what} belongs to block ${other.slice(0, 80)}`);
};

/** Nodes that prune may give the whole header with empty lists. */
const refuseEmptied = (
  block: RawObject,
  transactions: readonly unknown[],
  receipts: readonly unknown[],
): void => {
  if (transactions.length === 0 && readQuantityOr(block.gasUsed, 'gasUsed', 0n) > 0n)
    throw new BlockFormatError('transactions_missing', 'the block used gas and lists no transactions');
  if (hasBits(block.logsBloom) && receipts.every((receipt) => isEmpty(fieldOf(receipt, 'logs'))))
    throw new BlockFormatError(
      'logs_missing',
      'no receipt lists logs, and the block’s bloom filter has some',
    );
};

const refuseOther = (receipt: unknown, blockHash: string): void => {
  refuseOtherBlock('a receipt', receipt, blockHash);
  if (isEmpty(fieldOf(receipt, 'logs')) && hasBits(fieldOf(receipt, 'logsBloom')))
    throw new BlockFormatError('logs_missing', 'a receipt lists no logs, and its bloom filter has some');
};

const isEmpty = (list: unknown): boolean => Array.isArray(list) && list.length === 0;

const NO_BITS = `0x${'0'.repeat(512)}`;
const hasBits = (bloom: unknown): boolean =>
  typeof bloom === 'string' && bloom !== NO_BITS && /^0x0*[^0]/.test(bloom);

/** null where the block has no traces. */
const matchTraces = (transactions: readonly unknown[], traces: unknown): readonly unknown[] | null => {
  if (traces === null || traces === undefined) return null;
  const items = readArray(traces, 'traces');
  const named = items.every((item) => fieldOf(item, 'txHash') !== undefined);
  // Older nodes omit hashes: only the order tells which is whose.
  if (!named && items.length !== transactions.length)
    throw new BlockFormatError('count_mismatch', 'there are not as many traces as transactions');
  const matched = named ? matchByHash(transactions, items, 'txHash') : items;
  return matched.map((item) => fieldOf(item, 'result'));
};

const matchByHash = (
  transactions: readonly unknown[],
  items: readonly unknown[],
  field: string,
): readonly unknown[] => {
  let byHash: Map<unknown, unknown> | null = null;
  return transactions.map((tx, position) => {
    const hash = fieldOf(tx, 'hash');
    const item = items[position];
    if (item !== undefined && fieldOf(item, field) === hash) return item;
    byHash ??= new Map(items.map((other) => [lower(fieldOf(other, field)), other]));
    return byHash.get(lower(hash));
  });
};

const lower = (value: unknown): unknown => (typeof value === 'string' ? value.toLowerCase() : value);
