/** A log whose parts have the right lengths; digits are checked where they are used. */
export type Log = { readonly address: string; readonly topics: readonly string[]; readonly data: string };

/** `Transfer(address,address,uint256)`. */
export const TRANSFER_TOPIC = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
/** `Deposit(address,uint256)` and `Withdrawal(address,uint256)` of the wrapped coin, which logs no `Transfer` for them. */
export const WETH_DEPOSIT = '0xe1fffcc4923d04b559f4d29a8bfc6cda04eb5b0d3c460751c2402c5c5cc9109c';
export const WETH_WITHDRAWAL = '0x7fcf532c15f0a6db0bd6d0e038bea71d30d808c7d98cb3bf7268a95bf5081b65';

/**
 * null if it is no log. Only lengths are checked, because most logs are not used. Topics count as lower case if
 * the first one is: nodes write all alike.
 */
export const readLog = (raw: unknown): Log | null => {
  if (typeof raw !== 'object' || raw === null) return null;
  const { address, topics, data } = raw as { address?: unknown; topics?: unknown; data?: unknown };
  if (typeof address !== 'string' || address.length !== 42 || !Array.isArray(topics)) return null;
  if (typeof data !== 'string' || !data.startsWith('0x') || topics.length > 4) return null;
  for (const topic of topics) if (typeof topic !== 'string' || topic.length !== 66) return null;
  const event: string | undefined = topics[0];
  const isLower = event === undefined || event === event.toLowerCase();
  return {
    address: address.toLowerCase(),
    topics: isLower ? topics : topics.map((topic: string) => topic.toLowerCase()),
    data,
  };
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
