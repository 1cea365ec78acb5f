import { least } from '../../model/amount.ts';
import type { Transfer } from '../profile.ts';
import { behave, type FindBehaviour, isIn, isInEarnest } from './observed.ts';

const WITHIN_SECONDS = 3_600;
/** Fewer than three inflows may be chance. Below four fifths the wallet also keeps money. */
const ARRIVALS_MIN = 3;
const SHARE_MIN = 0.8;

/** Most inflows leave within an hour, in the same asset. */
export const findPassThrough: FindBehaviour = ({ payments }) => {
  const arrivals = payments.filter((each) => isIn(each) && isInEarnest(each) && each.usd !== null);
  if (arrivals.length < ARRIVALS_MIN) return null;
  const passed = matchPassed(payments);
  const came = arrivals.reduce((sum, { usd }) => sum + (usd ?? 0), 0);
  const left = arrivals.reduce((sum, each) => sum + (each.usd ?? 0) * (passed.get(each) ?? 0), 0);
  const share = left / came;
  const shown = arrivals.filter((each) => (passed.get(each) ?? 0) >= SHARE_MIN);
  if (share < SHARE_MIN || shown.length < ARRIVALS_MIN) return null;
  const detail = `${percent(share)} of what came in left again within an hour.`;
  return behave('pass_through', { confidence: Math.min(0.95, share), severity: 'low', detail }, shown);
};

const percent = (share: number): string => `${Math.round(share * 100)} %`;

/** For each inflow, the share that left within an hour. Outflows are taken from the latest inflows first. */
const matchPassed = (payments: readonly Transfer[]): ReadonlyMap<Transfer, number> => {
  const waiting = new Map<string, { transfer: Transfer; remainingRaw: bigint }[]>();
  const all: { transfer: Transfer; remainingRaw: bigint }[] = [];
  for (const payment of payments) {
    const stack = waiting.get(payment.canonicalAsset) ?? [];
    waiting.set(payment.canonicalAsset, stack);
    if (isIn(payment)) {
      const entry = { transfer: payment, remainingRaw: payment.amountRaw };
      stack.push(entry);
      all.push(entry);
      continue;
    }
    let paidRaw = payment.amountRaw;
    for (let top = stack.at(-1); top && paidRaw > 0n; top = stack.at(-1)) {
      if (payment.blockTime - top.transfer.blockTime > WITHIN_SECONDS) break;
      const takenRaw = least(paidRaw, top.remainingRaw);
      top.remainingRaw -= takenRaw;
      paidRaw -= takenRaw;
      if (top.remainingRaw > 0n) break;
      stack.pop();
    }
  }
  return new Map(
    all.map(({ transfer, remainingRaw }) => [
      transfer,
      1 - Number((remainingRaw * 1_000_000n) / transfer.amountRaw) / 1_000_000,
    ]),
  );
};
