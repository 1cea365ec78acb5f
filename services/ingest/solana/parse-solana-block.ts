import { BlockFormatError } from '../block-format-error.ts';

type Revived = { readonly source?: string };
type ExactParse = (
  text: string,
  reviver: (key: string, value: unknown, context?: Revived) => unknown,
) => unknown;

/** `JSON.parse` whose reviver sees the source of a number; the built-in types lack the third argument. */
const parseWithSource: ExactParse = JSON.parse;

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Parses the text of a `getBlock` result. Lamports above 2^53 come out as bigint, everything else as `JSON.parse`
 * gives it. Only lamports are looked at: other fields that pass 2^53 (rent epochs of u64::MAX, say) are never read,
 * so they must not cost the slow path.
 * @throws BlockFormatError `not_json`
 */
export const parseSolanaBlock = (text: string | Uint8Array): unknown => {
  const json =
    typeof text === 'string' ? text : Buffer.from(text.buffer, text.byteOffset, text.length).toString();
  try {
    const block: unknown = JSON.parse(json);
    return hasRoundedLamports(block) ? parseExactly(json) : block;
  } catch (error) {
    throw new BlockFormatError('not_json', `the input is not JSON: ${String(error)}`, { cause: error });
  }
};

const parseExactly = (json: string): unknown =>
  parseWithSource(json, (_key, value, context) =>
    typeof value === 'number' &&
    !Number.isSafeInteger(value) &&
    context?.source !== undefined &&
    /^-?\d+$/.test(context.source)
      ? BigInt(context.source)
      : value,
  );

const hasRoundedLamports = (block: unknown): boolean => {
  if (!isRecord(block)) return false;
  if (Array.isArray(block.rewards) && block.rewards.some(hasRoundedAmount)) return true;
  return Array.isArray(block.transactions) && block.transactions.some(isRoundedTransaction);
};

const isRounded = (value: unknown): boolean => typeof value === 'number' && value > Number.MAX_SAFE_INTEGER;

const hasRoundedAmount = (holder: unknown): boolean => isRecord(holder) && isRounded(holder.lamports);

/**
 * No instruction of a transaction can move more lamports than its accounts held together, so only where that sum is
 * inexact the amounts of its parsed instructions are looked at too.
 */
const isRoundedTransaction = (transaction: unknown): boolean => {
  if (!isRecord(transaction) || !isRecord(transaction.meta)) return false;
  const { preBalances, postBalances, innerInstructions } = transaction.meta;
  if (!Array.isArray(preBalances) || !Array.isArray(postBalances)) return false;
  let sum = 0;
  for (const balance of preBalances) if (typeof balance === 'number') sum += balance;
  if (sum <= Number.MAX_SAFE_INTEGER) return false;
  if (preBalances.some(isRounded) || postBalances.some(isRounded)) return true;
  const message = isRecord(transaction.transaction) ? transaction.transaction.message : null;
  return (
    movesRoundedLamports(message) ||
    (Array.isArray(innerInstructions) && innerInstructions.some(movesRoundedLamports))
  );
};

const movesRoundedLamports = (holder: unknown): boolean =>
  isRecord(holder) &&
  Array.isArray(holder.instructions) &&
  holder.instructions.some(
    (instruction) =>
      isRecord(instruction) && isRecord(instruction.parsed) && hasRoundedAmount(instruction.parsed.info),
  );
