/** A log whose parts have their lengths; their digits are checked where they are used. */
export type Log = { readonly address: string; readonly topics: readonly string[]; readonly data: string };

/** `Transfer(address,address,uint256)`. */
export const TRANSFER_TOPIC = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

/** null where it is no log. Lengths only: most logs are of no interest, and their words are never looked at. */
export const readLog = (raw: unknown): Log | null => {
  if (typeof raw !== 'object' || raw === null) return null;
  const { address, topics, data } = raw as { address?: unknown; topics?: unknown; data?: unknown };
  if (typeof address !== 'string' || address.length !== 42 || !Array.isArray(topics)) return null;
  if (typeof data !== 'string' || !data.startsWith('0x') || topics.length > 4) return null;
  for (const topic of topics) if (typeof topic !== 'string' || topic.length !== 66) return null;
  return { address: address.toLowerCase(), topics, data };
};

/** A 32-byte word of a log's data; shorter where the data ends before. */
export const wordOf = (data: string, word: number): string =>
  `0x${data.slice(2 + word * 64, 2 + (word + 1) * 64)}`;

/** null where the word is not hexadecimal. */
export const amountOf = (word: string): bigint | null => {
  try {
    return BigInt(word);
  } catch {
    return null;
  }
};
