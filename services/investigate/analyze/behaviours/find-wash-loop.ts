import type { Transfer } from '../profile.ts';
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
  const byParty = Map.groupBy(strangers, ({ counterparty, family }) => `${counterparty} ${family}`);
  const rounds = [...byParty.values()].map(matchRounds).filter((of) => of.length >= ROUNDS_MIN);
  const [most] = rounds.toSorted((a, b) => b.length - a.length);
  if (most === undefined) return null;
  const detail = `The same sum went to one address and came back within a day, ${most.length} times.`;
  return behave('wash_loop', { confidence: 0.7, severity: 'medium', detail }, most);
};

/** What left and came back, each return counted once. */
const matchRounds = (transfers: readonly Transfer[]): readonly Transfer[] => {
  const returns = transfers.filter(isIn);
  return transfers.filter(isOut).filter((paid) => {
    const at = returns.findIndex(
      (back) =>
        back.blockTime >= paid.blockTime &&
        back.blockTime - paid.blockTime <= WITHIN_SECONDS &&
        isNear(back.amountRaw, paid.amountRaw),
    );
    if (at >= 0) returns.splice(at, 1);
    return at >= 0;
  });
};

const isNear = (one: bigint, other: bigint): boolean => {
  const difference = one > other ? one - other : other - one;
  return difference * PARTS <= other;
};
