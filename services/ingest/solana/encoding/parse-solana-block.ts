import { isAscii } from 'node:buffer';
import { BlockFormatError } from '../../block-format-error.ts';
import { unwrap } from '../../files/block-part.ts';
import { hasRounded, isRounded, makeBalancesExact, parseExactly } from './exact-balances.ts';

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Parses the text of a `getBlock` result, or of a whole JSON-RPC answer. Lamports above 2^53 become bigint,
 * everything else is as in `JSON.parse`. Only lamports are considered: other fields above 2^53 (rent epochs of
 * u64::MAX, say) are never read and must not cause the slow path. @throws BlockFormatError `not_json`
 */
export const parseSolanaBlock = (text: string | Uint8Array): unknown => {
  const json = typeof text === 'string' ? text : textOf(text);
  try {
    const block = unwrap(JSON.parse(json));
    if (!isRecord(block) || !Array.isArray(block.transactions)) return block;
    const rounded = findRounded(block.rewards, block.transactions);
    return rounded !== null && makeBalancesExact(json, rounded) ? block : unwrap(parseExactly(json));
  } catch (error) {
    throw new BlockFormatError('not_json', `the input is not JSON: ${String(error)}`, { cause: error });
  }
};

/** Nearly always ASCII, which is copied unchanged. */
const textOf = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString(isAscii(bytes) ? 'latin1' : 'utf8');

type Meta = { preBalances: unknown[]; postBalances: unknown[] };

const metaOf = (transaction: unknown): Meta | null => {
  if (!isRecord(transaction) || !isRecord(transaction.meta)) return null;
  const { meta } = transaction;
  return Array.isArray(meta.preBalances) && Array.isArray(meta.postBalances) ? (meta as Meta) : null;
};

/** The lists with rounded balances, in order; null if other amounts were rounded, too. */
const findRounded = (rewards: unknown, transactions: readonly unknown[]): Meta[] | null => {
  if (Array.isArray(rewards) && rewards.some(hasRoundedAmount)) return null;
  const rounded: Meta[] = [];
  for (const transaction of transactions) {
    const meta = metaOf(transaction);
    if (meta === null || !isInexactSum(meta.preBalances)) continue;
    if (movesRoundedLamports(transaction)) return null;
    if (hasRounded(meta.preBalances) || hasRounded(meta.postBalances)) rounded.push(meta);
  }
  return rounded;
};

/**
 * No instruction can move more lamports than its accounts hold together, so its amounts are checked only if that
 * sum is inexact.
 */
const isInexactSum = (balances: readonly unknown[]): boolean => {
  let sum = 0;
  for (let i = 0; i < balances.length; i++) {
    const balance = balances[i];
    if (typeof balance === 'number') sum += balance;
  }
  return sum > Number.MAX_SAFE_INTEGER;
};

const hasRoundedAmount = (holder: unknown): boolean => isRecord(holder) && isRounded(holder.lamports);

const movesRoundedLamports = (transaction: unknown): boolean => {
  if (!isRecord(transaction) || !isRecord(transaction.meta)) return false;
  const { innerInstructions } = transaction.meta;
  const message = isRecord(transaction.transaction) ? transaction.transaction.message : null;
  return (
    hasRoundedInstruction(message) ||
    (Array.isArray(innerInstructions) && innerInstructions.some(hasRoundedInstruction))
  );
};

const hasRoundedInstruction = (holder: unknown): boolean =>
  isRecord(holder) &&
  Array.isArray(holder.instructions) &&
  holder.instructions.some(
    (instruction) =>
      isRecord(instruction) && isRecord(instruction.parsed) && hasRoundedAmount(instruction.parsed.info),
  );
