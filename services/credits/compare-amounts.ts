import type { Books } from './books.ts';
import type { Payer } from './decider/state.ts';

/** What a payer has left, and how many calls are open. */
export type Amounts = {
  readonly analyses: number;
  readonly traces: number;
  readonly credits: number;
  readonly open: number;
};

export const amountsOf = (books: Books, payer: Payer): Amounts => {
  const { analysesLeft, tracesLeft, packCredits, open } = books.stateOf(payer);
  return { analyses: analysesLeft, traces: tracesLeft, credits: packCredits, open: open.size };
};

/** Names the differences, such as "credits 3, not 5"; null if there are none. */
export const describeDifference = <T extends Readonly<Record<keyof T, number>>>(
  is: T,
  should: T,
): string | null => {
  const wrong = (Object.keys(is) as (keyof T & string)[]).filter((name) => is[name] !== should[name]);
  return wrong.length === 0
    ? null
    : wrong.map((name) => `${name} ${is[name]}, not ${should[name]}`).join(', ');
};
