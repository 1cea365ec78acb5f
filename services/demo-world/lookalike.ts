import { isOnCurve } from '../investigate/model/on-curve.ts';
import type { ChainSide } from './chain-side.ts';

/** Characters that wallets show at each end. */
const SHOWN = 4;

/** An address with the same beginning and end as another one, so wallets show both alike. */
export const lookalikeOf = (side: ChainSide, original: string): string => {
  const isSolana = side.writer.family === 'solana';
  const head = isSolana ? SHOWN : 2 + SHOWN;
  const fresh = side.writer.newAddress();
  const alike = original.slice(0, head) + fresh.slice(head, -SHOWN) + original.slice(-SHOWN);
  // A poisoner must hold its key.
  return isSolana && !isOnCurve(alike) ? lookalikeOf(side, original) : alike;
};
