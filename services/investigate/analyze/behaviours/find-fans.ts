import {
  behave,
  countParties,
  type FindBehaviour,
  firstOfEach,
  isIn,
  isInEarnest,
  isOut,
} from './observed.ts';

/** A person has a dozen acquaintances. A payroll or a service has more. */
const MANY = 20;
const FEW = 2;

/** Many addresses pay the wallet, and it pays hardly anybody. */
export const findFanIn: FindBehaviour = ({ payments }) => {
  const earnest = payments.filter(isInEarnest);
  const [came, left] = [earnest.filter(isIn), earnest.filter(isOut)];
  const [payers, payees] = [countParties(came), countParties(left)];
  if (payers < MANY || payees > FEW) return null;
  const detail = `${payers} addresses paid it, and it paid ${payees}.`;
  return behave('fan_in', { confidence: 0.9, severity: 'info', detail }, firstOfEach(came));
};

/** The wallet pays many addresses, and hardly anybody pays it. */
export const findFanOut: FindBehaviour = ({ payments }) => {
  const earnest = payments.filter(isInEarnest);
  const [came, left] = [earnest.filter(isIn), earnest.filter(isOut)];
  const [payers, payees] = [countParties(came), countParties(left)];
  if (payees < MANY || payers > FEW) return null;
  const detail = `It paid ${payees} addresses, and ${payers} paid it.`;
  return behave('fan_out', { confidence: 0.9, severity: 'info', detail }, firstOfEach(left));
};
