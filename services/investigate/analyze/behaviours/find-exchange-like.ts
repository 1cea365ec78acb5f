import {
  behave,
  countParties,
  type FindBehaviour,
  firstOfEach,
  isIn,
  isInEarnest,
  isOut,
} from './observed.ts';

/** A busy person has dozens of counterparties on each side. A service that also pays strangers has more. */
const PARTIES_MIN = 60;
/** Friends pay each other; customers do not. */
const MUTUAL_MAX = 0.5;

/** Many strangers pay the wallet, and it pays as many others. */
export const findExchangeLike: FindBehaviour = ({ payments }) => {
  const earnest = payments.filter(isInEarnest);
  const [came, left] = [earnest.filter(isIn), earnest.filter(isOut)];
  const [payers, payees] = [countParties(came), countParties(left)];
  if (payers < PARTIES_MIN || payees < PARTIES_MIN) return null;
  const payeesKnown = new Set(left.map(({ counterparty }) => counterparty));
  const mutual = new Set(
    came.map(({ counterparty }) => counterparty).filter((each) => payeesKnown.has(each)),
  );
  if (mutual.size > MUTUAL_MAX * Math.min(payers, payees)) return null;
  const detail = `${payers} addresses paid it and it paid ${payees}, few of them the same.`;
  return behave('exchange_like', { confidence: 0.6, severity: 'info', detail }, firstOfEach(left));
};
