import { isOnCurve } from '../investigate/model/on-curve.ts';
import type { ChainSide } from './chain-side.ts';

/** Characters at each end that a wallet shows. */
const SHOWN = 4;

/** An address that begins and ends like another one: what wallets show of the two is the same. */
export const lookalikeOf = (side: ChainSide, original: string): string => {
  const isSolana = side.writer.family === 'solana';
  const head = isSolana ? SHOWN : 2 + SHOWN;
  const fresh = side.writer.newAddress();
  const alike = original.slice(0, head) + fresh.slice(head, -SHOWN) + original.slice(-SHOWN);
  // Whoever poisons must hold its key.
  return isSolana && !isOnCurve(alike) ? lookalikeOf(side, original) : alike;
};
