import { BlockFormatError } from '../block-format-error.ts';
import { refuseTooMany } from '../block-limits.ts';
import type { RawBlock } from './encoding/raw-block.ts';

// 32 bytes in base58.
const HASH_LENGTH_MAX = 44;
// The range of a block's time in tables: 32 bits.
const BLOCK_TIME_MAX = 2 ** 32 - 1;

/** @throws BlockFormatError if the input is no block, or lacks what decoding needs */
export const checkBlock = (input: unknown): RawBlock => {
  if (typeof input !== 'object' || input === null || Array.isArray(input))
    throw new BlockFormatError(
      'not_a_block',
      `a block is an object, not ${input === null ? 'null' : typeof input}`,
    );
  const block = input as Partial<Record<keyof RawBlock, unknown>>;
  if (typeof block.blockhash !== 'string' || typeof block.previousBlockhash !== 'string')
    throw new BlockFormatError('not_a_block', 'the input has no blockhash and previousBlockhash');
  if (!Array.isArray(block.transactions))
    throw new BlockFormatError(
      'transactions_missing',
      'the block has no transactions: ask getBlock for transactionDetails "full"',
    );
  refuseTooMany(block.transactions);
  if (block.parentSlot === undefined || block.parentSlot === null)
    throw new BlockFormatError('field_missing', 'the block has no parentSlot');
  if (block.blockhash.length > HASH_LENGTH_MAX || block.previousBlockhash.length > HASH_LENGTH_MAX)
    throw new BlockFormatError('field_malformed', 'blockhash or previousBlockhash is not a hash');
  if (!isCount(block.parentSlot, Number.MAX_SAFE_INTEGER))
    throw new BlockFormatError('field_malformed', 'parentSlot is not a slot');
  if (!isCount(block.blockTime ?? 0, BLOCK_TIME_MAX))
    throw new BlockFormatError('field_malformed', 'blockTime is not a time in seconds since 1970');
  if (block.transactions.length > 0 && block.transactions.every(isAccountsOnly))
    throw new BlockFormatError(
      'details_unusable',
      'the transactions list accounts without instructions: ask getBlock for transactionDetails "full"',
    );
  return block as RawBlock;
};

const isCount = (value: unknown, most: number): boolean =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value <= most;

/** `transactionDetails: "accounts"` */
const isAccountsOnly = (raw: unknown): boolean =>
  typeof raw === 'object' &&
  raw !== null &&
  'transaction' in raw &&
  typeof raw.transaction === 'object' &&
  raw.transaction !== null &&
  'accountKeys' in raw.transaction &&
  !('message' in raw.transaction);
