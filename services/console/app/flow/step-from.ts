import type { Shown } from './show-flow.ts';

/** The card that an arrow key leads to: left to the payer, right to the largest payee, up and down within a hop. */
export const stepFrom = (current: string | null, key: string, { chosen, places }: Shown): string | null => {
  const card = chosen.cards.find((it) => it.key === current);
  const place = current === null ? undefined : places.get(current);
  if (card === undefined || place === undefined) return null;
  const rowOf = (it: { readonly key: string }): number => places.get(it.key)?.row ?? 0;
  switch (key) {
    case 'ArrowLeft':
      return chosen.cards.some((it) => it.key === card.payer) ? card.payer : null;
    case 'ArrowRight':
      return (
        chosen.cards
          .filter(({ payer }) => payer === card.key)
          .sort((a, b) => (b.usd ?? b.arrived) - (a.usd ?? a.arrived))[0]?.key ?? null
      );
    case 'ArrowUp':
    case 'ArrowDown': {
      const others = chosen.cards
        .filter((it) => it !== card && places.get(it.key)?.column === place.column)
        .filter((it) => (key === 'ArrowUp' ? rowOf(it) < place.row : rowOf(it) > place.row))
        .sort((a, b) => Math.abs(rowOf(a) - place.row) - Math.abs(rowOf(b) - place.row));
      return others[0]?.key ?? null;
    }
    default:
      return null;
  }
};
