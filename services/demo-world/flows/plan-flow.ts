import type { Random } from '../random.ts';

/** A planned payment of a theft: when, and how much of the loot. */
export type PlannedPayment = {
  readonly afterSeconds: number;
  readonly from: string;
  readonly to: string;
  readonly amountRaw: bigint;
};

/** A wallet where money of a theft stays; `exchange`: it pays in there. */
export type PlannedEnd = { readonly wallet: string; readonly reason: 'exchange' | 'at_rest' };

export type FlowPlan = {
  readonly start: string;
  readonly payments: readonly PlannedPayment[];
  readonly ends: readonly PlannedEnd[];
};

type Held = { readonly wallet: string; readonly amountRaw: bigint; readonly atSeconds: number };

/** Pauses between simulated launderers' payments. */
const MEDIAN_DELAY = 3_000;

type Planning = {
  readonly random: Random;
  readonly newWallet: () => string;
  readonly payments: PlannedPayment[];
};

const partRaw = (amountRaw: bigint, part: number): bigint =>
  (amountRaw * BigInt(Math.round(part * 1e6))) / 1_000_000n;

const payOn = (planning: Planning, from: Held, to: string, amountRaw: bigint): Held => {
  const { random, payments } = planning;
  const delay = Math.min(random.logNormal(MEDIAN_DELAY, 0.8), 10 * MEDIAN_DELAY);
  const afterSeconds = Math.ceil(from.atSeconds + delay);
  payments.push({ afterSeconds, from: from.wallet, to, amountRaw });
  return { wallet: to, amountRaw, atSeconds: afterSeconds };
};

/** Splits into parts of similar size, each its own payment; some parts come in two pieces. */
const splitInto = (planning: Planning, from: Held, wallets: readonly string[]): Held[] => {
  const { random } = planning;
  const weights = wallets.map(() => 0.6 + random.unit());
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return wallets.map((wallet, at) => {
    const amountRaw = partRaw(from.amountRaw, (weights[at] ?? 0) / sum);
    if (!random.chance(0.3)) return payOn(planning, from, wallet, amountRaw);
    const half = amountRaw / 2n;
    const one = payOn(planning, from, wallet, half);
    const other = payOn(planning, from, wallet, amountRaw - half);
    return { wallet, amountRaw, atSeconds: Math.max(one.atSeconds, other.atSeconds) };
  });
};

/** A collecting wallet pays on when everything has arrived. */
const join = (wallet: string, parts: readonly Held[]): Held => ({
  wallet,
  amountRaw: parts.reduce((sum, { amountRaw }) => sum + amountRaw, 0n),
  atSeconds: parts.reduce((last, { atSeconds }) => Math.max(last, atSeconds), 0),
});

/**
 * A peel chain: most goes on from wallet to wallet, a part is peeled off at each, and all peelings meet in one
 * wallet.
 */
const peel = (
  planning: Planning,
  from: Held,
  collector: string,
): { readonly peeled: Held[]; readonly rest: Held } => {
  const { random, newWallet } = planning;
  const peeled: Held[] = [];
  let held = from;
  for (let step = random.between(3, 5); step > 0; step -= 1) {
    const partOff = partRaw(held.amountRaw, 0.1 + 0.2 * random.unit());
    peeled.push(payOn(planning, held, collector, partOff));
    held = payOn(planning, held, newWallet(), held.amountRaw - partOff);
  }
  return { peeled, rest: held };
};

type Pattern = (planning: Planning, loot: Held) => Held[];

/** Two or three peel chains whose peelings meet in one wallet, and whose rests in another. */
export const mergingPeelChains: Pattern = (planning, loot) => {
  const { random, newWallet } = planning;
  const heads = splitInto(planning, loot, Array.from({ length: random.between(2, 3) }, newWallet));
  const [collector, meeting] = [newWallet(), newWallet()];
  const chains = heads.map((head) => peel(planning, head, collector));
  const rests = chains.map(({ rest }) => payOn(planning, rest, meeting, rest.amountRaw));
  return [
    join(
      collector,
      chains.flatMap(({ peeled }) => peeled),
    ),
    join(meeting, rests),
  ];
};

/** Many wallets pay crosswise in pieces into a few collectors, which pay into one. */
export const collectionWallets: Pattern = (planning, loot) => {
  const { random, newWallet } = planning;
  const mules = splitInto(planning, loot, Array.from({ length: random.between(5, 9) }, newWallet));
  const collectors = Array.from({ length: random.between(2, 3) }, newWallet);
  const paid = mules.flatMap((mule) => {
    const [first = '', second = first] = [random.pick(collectors), random.pick(collectors)];
    const half = partRaw(mule.amountRaw, 0.4 + 0.2 * random.unit());
    return [payOn(planning, mule, first, half), payOn(planning, mule, second, mule.amountRaw - half)];
  });
  const collected = collectors.flatMap((wallet) => {
    const parts = paid.filter((held) => held.wallet === wallet);
    return parts.length === 0 ? [] : [join(wallet, parts)];
  });
  if (random.chance(0.5)) return collected;
  const meeting = newWallet();
  return [
    join(
      meeting,
      collected.map((held) => payOn(planning, held, meeting, held.amountRaw)),
    ),
  ];
};

/** Through a wallet that serves several thieves and keeps a hundredth; it pays each in parts. */
export const throughSharedWallet =
  (shared: string): Pattern =>
  (planning, loot) => {
    const { random, newWallet } = planning;
    const parts = splitInto(planning, loot, [newWallet(), newWallet()]);
    const given = parts.map((held) => payOn(planning, held, shared, held.amountRaw));
    return given.flatMap((held) =>
      splitInto(
        planning,
        { ...held, amountRaw: partRaw(held.amountRaw, 0.99) },
        Array.from({ length: random.between(1, 2) }, newWallet),
      ),
    );
  };

/** A whole theft. Half of its ends are paid in at exchanges, the rest stays. */
export const planFlow = (
  pattern: Pattern,
  { random, newWallet, lootRaw }: Omit<Planning, 'payments'> & { readonly lootRaw: bigint },
): FlowPlan => {
  const planning: Planning = { random, newWallet, payments: [] };
  const start = newWallet();
  const held = pattern(planning, { wallet: start, amountRaw: lootRaw, atSeconds: 0 });
  const ends = held.map(
    ({ wallet }): PlannedEnd => ({ wallet, reason: random.chance(0.5) ? 'exchange' : 'at_rest' }),
  );
  return { start, payments: planning.payments, ends };
};
