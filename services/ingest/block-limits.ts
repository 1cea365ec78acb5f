import { BlockFormatError } from './block-format-error.ts';

/** Several times what fits into any block. Each broken transaction costs time and a stored problem. */
const TRANSACTIONS_MAX = 100_000;

/** Throws `BlockFormatError` `too_many_transactions`. */
export const refuseTooMany = ({ length }: readonly unknown[]): void => {
  if (length <= TRANSACTIONS_MAX) return;
  const counts = `${length} transactions, and ${TRANSACTIONS_MAX} is the most that is read`;
  throw new BlockFormatError('too_many_transactions', `the block has ${counts}`);
};

// An object or a list takes a hundred bytes of memory, however short its text. Blocks have more than fifty
// bytes of text for each: 2.7 million in the largest file. The first bytes are not counted, because they
// cannot contain many more.
export const CONTAINERS_MAX = 4_000_000;
const COUNTED_BYTES_MIN = 16 << 20;

/**
 * Call it with JSON piece by piece. Returns true once there are more values than memory should hold. Brackets
 * in texts count, too.
 */
export const createValueCount = (): ((json: Uint8Array) => boolean) => {
  let bytes = 0;
  let containers = 0;
  return (json) => {
    bytes += json.length;
    if (bytes >= COUNTED_BYTES_MIN) containers += countContainers(json);
    return containers > CONTAINERS_MAX;
  };
};

const countContainers = (json: Uint8Array): number => {
  let count = 0;
  // `[` and `{` differ in one bit.
  for (let at = 0; at < json.length; at++) if (((json[at] ?? 0) & 0xdf) === 0x5b) count++;
  return count;
};
