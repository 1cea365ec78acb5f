import type { CaseTransfer } from './case-transfer.ts';

/**
 * In time order, and within a second so that money can continue: receipts before payments. Tables tell no more,
 * and their order decides nothing.
 */
export const orderTransfers = (transfers: readonly CaseTransfer[]): CaseTransfer[] =>
  [...Map.groupBy(transfers, ({ timeUnixSeconds }) => timeUnixSeconds)]
    .sort(([a], [b]) => a - b)
    .flatMap(([, ofSecond]) => orderSecond(ofSecond));

/** In a circle: first wallets that were paid, then by name. */
const orderSecond = (transfers: readonly CaseTransfer[]): CaseTransfer[] => {
  const left = transfers.toSorted(compareNames);
  const ordered: CaseTransfer[] = [];
  const paid = new Set<string>();
  while (left.length > 0) {
    const waiting = new Set(left.filter(({ from, to }) => from !== to).map(({ to }) => to));
    const free = left.findIndex(({ from }) => !waiting.has(from));
    const next = free >= 0 ? free : left.findIndex(({ from }) => paid.has(from));
    for (const transfer of left.splice(Math.max(next, 0), 1)) {
      ordered.push(transfer);
      paid.add(transfer.to);
    }
  }
  return ordered;
};

const nameOf = ({ txHash, from, to, amountRaw }: CaseTransfer): string =>
  [txHash, from, to, amountRaw].join(' ');

const compareNames = (a: CaseTransfer, b: CaseTransfer): number => (nameOf(a) < nameOf(b) ? -1 : 1);
