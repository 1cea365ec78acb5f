import type { ChainSide } from './chain-side.ts';

/** Characters at each end that a wallet shows. */
const SHOWN = 4;

/** An address that begins and ends like another one: what wallets show of the two is the same. */
export const lookalikeOf = (side: ChainSide, original: string): string => {
  const fresh = side.writer.newAddress();
  const head = side.writer.family === 'evm' ? 2 + SHOWN : SHOWN;
  return original.slice(0, head) + fresh.slice(head, -SHOWN) + original.slice(-SHOWN);
};
