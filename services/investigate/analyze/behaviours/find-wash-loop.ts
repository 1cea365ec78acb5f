import type { Transfer } from '../profile.ts';
import { createEarliestOfSize } from './earliest-of-size.ts';
import { behave, type FindBehaviour, isIn, isInEarnest, isOut } from './observed.ts';

const WITHIN_SECONDS = 86_400;
/** Fees and spreads of a round trip cost less than a twentieth. */
const PARTS = 20n;
const ROUNDS_MIN = 3;

/** The same amount goes to one address and comes back within a day, repeatedly. */
export const findWashLoop: FindBehaviour = ({ payments, services, labels }) => {
  const strangers = payments.filter(
    ({ counterparty, ...each }) =>
      !services.has(counterparty) && !labels.has(counterparty) && isInEarnest({ counterparty, ...each }),
  );
  const byParty = Map.groupBy(
    strangers,
    ({ counterparty, canonicalAsset }) => `${counterparty} ${canonicalAsset}`,
  );
  const rounds = [...byParty.values()].map(matchRounds).filter((of) => of.length >= ROUNDS_MIN);
  const [most] = rounds.toSorted((a, b) => b.length - a.length);
  if (most === undefined) return null;
  const detail = `The same amount went to one address and came back within a day, ${most.length} times.`;
  return behave('wash_loop', { confidence: 0.7, severity: 'medium', detail }, most);
};

/** Pairs of payments and returns; each return is used once. `transfers` is sorted oldest first. */
const matchRounds = (transfers: readonly Transfer[]): readonly Transfer[] => {
  const returns = transfers.filter(isIn);
  const times = returns.map(({ blockTime }) => blockTime);
  const left = createEarliestOfSize(returns.map(({ amountRaw }) => amountRaw));
  let passed = 0;
  return transfers.filter(isOut).filter(({ blockTime, amountRaw }) => {
    // A return before one payment is also before every later payment.
    for (; (times[passed] ?? Infinity) < blockTime; passed += 1) left.remove(passed);
    const spread = amountRaw / PARTS;
    const at = left.find(amountRaw - spread, amountRaw + spread);
    if (at === null || (times[at] ?? Infinity) - blockTime > WITHIN_SECONDS) return false;
    left.remove(at);
    return true;
  });
};
