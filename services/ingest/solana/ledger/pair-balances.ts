/** Parties' unexplained gains (positive) and losses (negative); the key null is nobody. */
export type BalanceChanges = Map<string | null, bigint>;

export type Pair = { readonly from: string | null; readonly to: string | null; readonly amountRaw: bigint };

type Side = { readonly party: string | null; rest: bigint };

export const addChange = (changes: BalanceChanges, party: string | null, amountRaw: bigint): void => {
  if (amountRaw !== 0n) changes.set(party, (changes.get(party) ?? 0n) + amountRaw);
};

/**
 * Pairs losers with winners: equal amounts first, then always the largest loss with the largest gain. This gives
 * at most losers + winners − 1 pairs, and is deterministic because ties keep their order. A remainder is paired
 * with nobody.
 */
export const pairBalances = (changes: BalanceChanges): Pair[] => {
  const losers: Side[] = [];
  const winners: Side[] = [];
  for (const [party, change] of changes) {
    if (change < 0n) losers.push({ party, rest: -change });
    else if (change > 0n) winners.push({ party, rest: change });
  }
  sortByAmount(losers);
  sortByAmount(winners);
  const pairs: Pair[] = [];
  if (losers.length > 1 || winners.length > 1) pairEqual(losers, winners, pairs);
  pairLargest(losers, winners, pairs);
  return pairs;
};

/** Largest first, ties in order. The lists are short and mostly sorted, so they are sorted in place. */
const sortByAmount = (sides: Side[]): void => {
  for (let i = 1; i < sides.length; i++) {
    const side = sides[i];
    if (side === undefined) return;
    let at = i;
    for (let above = sides[at - 1]; above !== undefined && above.rest < side.rest; above = sides[at - 1])
      sides[at--] = above;
    sides[at] = side;
  }
};

const pairEqual = (losers: Side[], winners: Side[], pairs: Pair[]): void => {
  for (const loser of losers) {
    const winner = winners.find((candidate) => candidate.rest === loser.rest);
    if (winner === undefined || loser.rest === 0n) continue;
    pairs.push({ from: loser.party, to: winner.party, amountRaw: loser.rest });
    loser.rest = 0n;
    winner.rest = 0n;
  }
};

const pairLargest = (losers: readonly Side[], winners: readonly Side[], pairs: Pair[]): void => {
  const from = losers.filter((side) => side.rest > 0n);
  const to = winners.filter((side) => side.rest > 0n);
  while (from.length > 0 || to.length > 0) {
    sortByAmount(from);
    sortByAmount(to);
    const loser = from[0];
    const winner = to[0];
    const amountRaw = smaller(loser?.rest, winner?.rest);
    pairs.push({ from: loser?.party ?? null, to: winner?.party ?? null, amountRaw });
    take(from, loser, amountRaw);
    take(to, winner, amountRaw);
  }
};

const smaller = (a: bigint | undefined, b: bigint | undefined): bigint =>
  a === undefined ? (b ?? 0n) : b === undefined || a < b ? a : b;

const take = (sides: Side[], side: Side | undefined, amountRaw: bigint): void => {
  if (side === undefined) return;
  side.rest -= amountRaw;
  if (side.rest === 0n) sides.shift();
};
