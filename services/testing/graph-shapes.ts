import type { PlainPayment } from './payments-reader.ts';

/** What comes into the wallet that every shape begins with. */
const BEGIN: PlainPayment = { from: 'v', to: 'ann', amountRaw: 1_000_000_000_000n, time: 1 };

/** Payments one second after another, each layer's after those of the layer before. */
const paid = (all: Iterable<Pick<PlainPayment, 'from' | 'to' | 'amountRaw'>>): PlainPayment[] => [
  BEGIN,
  ...Array.from(all, (payment, at) => ({ ...payment, time: 2 + at })),
];

const countTo = (count: number): readonly number[] => Array.from({ length: count }, (_, at) => at);

/** ann pays `width` wallets, each of which pays as many others. */
export const treeOf = (width: number): PlainPayment[] => {
  const first = countTo(width).map((n) => ({ from: 'ann', to: `a${n}`, amountRaw: 300_000_000n }));
  const second = first.flatMap(({ to }) =>
    countTo(width).map((n) => ({ from: to, to: `${to}.${n}`, amountRaw: 1_000_000n })),
  );
  return paid([...first, ...second]);
};

export const chainOf = (length: number): PlainPayment[] =>
  paid(
    countTo(length).map((n) => ({
      ...{ from: n === 0 ? 'ann' : `w${n}`, to: `w${n + 1}` },
      amountRaw: BEGIN.amountRaw - BigInt(n),
    })),
  );

/** Everybody pays `each` of the others, some near and some far. */
export const cliqueOf = (wallets: number, each: number): PlainPayment[] => {
  const name = (at: number): string => (at % wallets === 0 ? 'ann' : `q${at % wallets}`);
  return paid(
    countTo(wallets).flatMap((from) =>
      countTo(each).map((n) => ({
        from: name(from),
        to: name(from + 1 + n * 7),
        amountRaw: 5_000_000n - BigInt(n),
      })),
    ),
  );
};

/** Layers of which every wallet pays every wallet of the next one. */
export const latticeOf = (width: number, layers: number): PlainPayment[] => {
  const name = (layer: number, n: number): string => (layer === 0 ? 'ann' : `l${layer}.${n}`);
  return paid(
    countTo(layers).flatMap((layer) =>
      countTo(layer === 0 ? 1 : width).flatMap((from) =>
        countTo(width).map((to) => ({
          ...{ from: name(layer, from), to: name(layer + 1, to) },
          amountRaw: BEGIN.amountRaw / BigInt(width) ** (layer === 0 ? 1n : 2n),
        })),
      ),
    ),
  );
};
