import type { Card, Picture } from './picture.ts';

/** So many cards a person can still look at. */
export const CARDS_MAX = 60;

/** Wallets of one payer that have no card. They open together. */
export type Fold = { readonly payer: string; readonly cards: readonly Card[]; readonly usd: number | null };

export type Chosen = { readonly cards: readonly Card[]; readonly folds: readonly Fold[] };

/**
 * Chooses at most 60 cards: named wallets first, then those of opened folds, then the most dollars expected. A card
 * comes with all payers between it and a start, so that none hangs in the air. The rest folds at its payer.
 */
export const chooseCards = ({ cards }: Picture, opened: readonly string[], max = CARDS_MAX): Chosen => {
  const rank = new Map(opened.map((payer, at) => [payer, at]));
  const order = [...cards.values()].sort(
    (a, b) =>
      Number(b.isStart) - Number(a.isStart) ||
      Number(b.label !== null) - Number(a.label !== null) ||
      (rank.get(b.payer ?? '') ?? -1) - (rank.get(a.payer ?? '') ?? -1) ||
      worthOf(b) - worthOf(a),
  );
  const chosen = new Set<Card>();
  for (const card of order) {
    const path = pathTo(card, cards).filter((it) => !chosen.has(it));
    if (chosen.size + path.length > max) continue;
    for (const it of path) chosen.add(it);
  }
  const folded = [...cards.values()].filter((card) => !chosen.has(card));
  const shown = new Set([...chosen].map(({ key }) => key));
  const folds = Map.groupBy(folded, (card) => shownPayerOf(card, cards, shown));
  return {
    cards: [...cards.values()].filter((card) => chosen.has(card)),
    folds: [...folds].map(([payer, of]) => ({ payer, cards: of, usd: sumOf(of) })),
  };
};

/** Worth that is not known counts as the most: it may be. */
const worthOf = ({ usd, probability }: Card): number => (usd === null ? Number.MAX_VALUE : usd * probability);

/** The card and its payers up to a start, payers first. */
const pathTo = (card: Card, cards: ReadonlyMap<string, Card>): readonly Card[] => {
  const path: Card[] = [];
  const seen = new Set<string>();
  for (let at: Card | undefined = card; at !== undefined && !seen.has(at.key); ) {
    seen.add(at.key);
    path.push(at);
    at = at.payer === null ? undefined : cards.get(at.payer);
  }
  return path.reverse();
};

const shownPayerOf = (card: Card, cards: ReadonlyMap<string, Card>, shown: ReadonlySet<string>): string =>
  pathTo(card, cards).findLast(({ key }) => shown.has(key))?.key ?? '';

const sumOf = (cards: readonly Card[]): number | null =>
  cards.reduce<number | null>((sum, { usd }) => (sum === null || usd === null ? null : sum + usd), 0);
