import type { Transfer } from '../profile.ts';
import { createEarliestOfSize } from './earliest-of-size.ts';
import { behave, type FindBehaviour, isIn, isInEarnest, isOut } from './observed.ts';

const WITHIN_SECONDS = 86_400;
/** Fees and spreads of a round trip are below a twentieth. */
const PARTS = 20n;
const ROUNDS_MIN = 3;

/** The same sum goes to somebody and comes back within a day, time after time. */
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
  const detail = `The same sum went to one address and came back within a day, ${most.length} times.`;
  return behave('wash_loop', { confidence: 0.7, severity: 'medium', detail }, most);
};

/** What left and came back, each return counted once. `transfers`: oldest first. */
const matchRounds = (transfers: readonly Transfer[]): readonly Transfer[] => {
  const returns = transfers.filter(isIn);
  const times = returns.map(({ blockTime }) => blockTime);
  const left = createEarliestOfSize(returns.map(({ amountRaw }) => amountRaw));
  let passed = 0;
  return transfers.filter(isOut).filter(({ blockTime, amountRaw }) => {
    // What came before one payment came before all later ones.
    for (; (times[passed] ?? Infinity) < blockTime; passed += 1) left.remove(passed);
    const spread = amountRaw / PARTS;
    const at = left.find(amountRaw - spread, amountRaw + spread);
    if (at === null || (times[at] ?? Infinity) - blockTime > WITHIN_SECONDS) return false;
    left.remove(at);
    return true;
  });
};
