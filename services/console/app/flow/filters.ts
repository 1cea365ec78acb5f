import type { Card, Picture } from './picture.ts';

/** What the reader wants to see. Nothing is asked again for it. */
export type Filters = {
  readonly minUsd: number;
  readonly minProbability: number;
  /** Kinds of labels that are hidden; `unlabelled` for wallets without one. */
  readonly hiddenKinds: readonly string[];
  /** Assets that are hidden, by symbol. */
  readonly hiddenAssets: readonly string[];
  /** Unix seconds of the newest payment that is shown; null: all. */
  readonly untilUnixSeconds: number | null;
};

export const NO_FILTERS: Filters = {
  minUsd: 0,
  minProbability: 0,
  hiddenKinds: [],
  hiddenAssets: [],
  untilUnixSeconds: null,
};

export const kindOf = ({ label }: Card): string => label?.kind ?? 'unlabelled';

export type Filtered = { readonly shown: Picture; readonly hidden: readonly Card[] };

/** Hides cards by the filters and by hand. A card whose worth is unknown is never below an amount. */
export const applyFilters = (
  { cards, links }: Picture,
  filters: Filters,
  hiddenByHand: ReadonlySet<string>,
): Filtered => {
  const { minUsd, minProbability, hiddenKinds, hiddenAssets, untilUnixSeconds } = filters;
  const early = links.filter(
    ({ transactions }) =>
      untilUnixSeconds === null ||
      transactions.length === 0 ||
      transactions.some(({ time }) => time <= untilUnixSeconds),
  );
  const paid = new Set(early.map(({ to }) => to));
  const isShown = (card: Card): boolean =>
    card.isStart ||
    (!hiddenByHand.has(card.key) &&
      (card.usd === null || card.usd >= minUsd) &&
      card.probability >= minProbability &&
      !hiddenKinds.includes(kindOf(card)) &&
      !hiddenAssets.includes(card.symbol) &&
      (untilUnixSeconds === null || paid.has(card.key)));
  const shown = new Map([...cards].filter(([, card]) => isShown(card)));
  return {
    shown: { cards: shown, links: early.filter(({ from, to }) => shown.has(from) && shown.has(to)) },
    hidden: [...cards.values()].filter((card) => !shown.has(card.key)),
  };
};
