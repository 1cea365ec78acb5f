import { type Movement, NATIVE, type Swap } from '../investigate/model/movement.ts';

export type SwapContext = {
  /**
   * The initiators of the transaction. Solana: its signers. EVM: its sender, and the smart accounts whose
   * operations it bundles. A swap and the pool's side are mirror images, and only the initiator distinguishes
   * them.
   */
  readonly initiators: readonly string[];
  /** The contract of the wrapped coin, which counts as `native` here. */
  readonly wrappedNative: string | null;
};

/** Above this many given × got pairs an owner's basket does not say what was exchanged for what. */
const PAIRS_MAX = 8;
/** Rows hold 256 bits, and so does what is made of them. */
const AMOUNT_MAX = 2n ** 256n - 1n;
const NO_SWAPS: readonly Swap[] = Object.freeze([]);

/**
 * The swaps of ONE transaction: `movements` are all of its rows, in order. Amounts are raw integer units.
 *
 * An owner swapped when, over its transfer, program, mint, burn, wrap and unwrap rows, it gave one asset on balance and
 * got another. Fees, rent, rewards and changed owners of accounts never count; the wrapped coin is the coin.
 *
 * 1. Owners are the initiators, and those whose value somebody else moved (`authority` that is neither the owner nor an
 *    initiator: orders settled by a solver, allowances, delegates). Pools and routers are neither, so the mirror image
 *    of a swap is not one, and a router nets to zero anyway.
 * 2. What was given must have gone to somebody who gives something in this transaction, and what was got must come from
 *    somebody who gets something; issuing and destroying counts for both. A tip, a claim or an airdrop is no exchange.
 * 3. Several assets on a side: those that end with parties which only take (or begin with parties which only give) are
 *    side payments and are left out, unless nothing would be left. What remains gives one swap for each pair, each with
 *    the whole amounts: liquidity added or removed. Only an owner's single swap is a price. More than 8 pairs: none.
 *    None either where an amount has more than 256 bits: only a contract that logs what nobody can hold comes to that.
 *
 * `through` is the party that gave the owner most of what was got, null when most was issued by nobody. Time and memory
 * grow with the rows; a transaction of one asset allocates nothing. See docs/decisions/0003-swaps.md.
 */
export const deriveSwaps = (movements: readonly Movement[], context: SwapContext): readonly Swap[] => {
  const txIndex = movements[0]?.txIndex;
  if (txIndex === null || txIndex === undefined) return NO_SWAPS;
  if (!hasTwoAssets(movements, context.wrappedNative)) return NO_SWAPS;
  const flows = movements.filter(exchanges).map((movement) => toFlow(movement, context.wrappedNative));
  const owners = [...sumOwners(flows, context).values()].filter(gaveAndGot);
  if (owners.length === 0) return NO_SWAPS;
  const sides = findSides(flows, context.wrappedNative);
  const swaps: Swap[] = [];
  for (const owner of owners) {
    const { gave, got } = chooseLegs(owner, sides);
    if (gave.length * got.length > PAIRS_MAX || [...gave, ...got].some(isTooLarge)) continue;
    for (const given of gave) {
      for (const gotten of got) {
        swaps.push({
          txIndex,
          index: swaps.length,
          owner: owner.address,
          gaveAsset: given.asset,
          gaveRaw: -given.net,
          gotAsset: gotten.asset,
          gotRaw: gotten.net,
          through: largest(gotten.sources),
        });
      }
    }
  }
  return swaps;
};

const exchanges = ({ kind, amountRaw, from, to }: Movement): boolean =>
  amountRaw > 0n &&
  from !== to &&
  (kind === 'transfer' ||
    kind === 'program' ||
    kind === 'mint' ||
    kind === 'burn' ||
    kind === 'wrap' ||
    kind === 'unwrap');

const hasTwoAssets = (movements: readonly Movement[], wrappedNative: string | null): boolean => {
  let first: string | null = null;
  for (const movement of movements) {
    if (!exchanges(movement)) continue;
    const asset = movement.asset === wrappedNative ? NATIVE : movement.asset;
    if (first === null) first = asset;
    else if (asset !== first) return true;
  }
  return false;
};

/** A movement reduced to what exchanges are made of; `null` is the issuer (mint, burn). */
type Flow = Pick<Movement, 'from' | 'to' | 'asset' | 'amountRaw' | 'authority'>;

/**
 * The wrapped coin is issued by the contract that took the coin. With that contract as the other side, wrapping
 * nets to zero.
 */
const toFlow = (movement: Movement, wrappedNative: string | null): Flow =>
  movement.asset === wrappedNative
    ? { ...movement, asset: NATIVE, from: movement.from ?? wrappedNative, to: movement.to ?? wrappedNative }
    : movement;

/** What an owner gave (net < 0) or got (net > 0) of one asset. */
type Leg = {
  readonly asset: string;
  net: bigint;
  readonly sources: Map<string | null, bigint>;
  readonly targets: Set<string | null>;
};

type Owner = { readonly address: string; readonly legs: Map<string, Leg> };

const sumOwners = (flows: readonly Flow[], context: SwapContext): Map<string, Owner> => {
  const owners = new Map<string, Owner>();
  for (const address of listOwners(flows, context)) owners.set(address, { address, legs: new Map() });
  for (const { from, to, asset, amountRaw } of flows) {
    const gave = legOf(owners, from, asset);
    if (gave !== null) {
      gave.net -= amountRaw;
      if (to === null || to !== context.wrappedNative) gave.targets.add(to);
    }
    const got = legOf(owners, to, asset);
    if (got !== null) {
      got.net += amountRaw;
      if (from === null || from !== context.wrappedNative)
        got.sources.set(from, (got.sources.get(from) ?? 0n) + amountRaw);
    }
  }
  return owners;
};

const listOwners = (flows: readonly Flow[], { initiators, wrappedNative }: SwapContext): Set<string> => {
  const asking = new Set(initiators);
  const owners = new Set(asking);
  for (const { from, authority } of flows) {
    if (from === null || authority === null || authority === from || from === wrappedNative) continue;
    if (!asking.has(authority)) owners.add(from);
  }
  return owners;
};

const legOf = (owners: ReadonlyMap<string, Owner>, address: string | null, asset: string): Leg | null => {
  const legs = address === null ? undefined : owners.get(address)?.legs;
  if (legs === undefined) return null;
  let leg = legs.get(asset);
  if (leg === undefined) {
    leg = { asset, net: 0n, sources: new Map(), targets: new Set() };
    legs.set(asset, leg);
  }
  return leg;
};

const gaveAndGot = ({ legs }: Owner): boolean => {
  let gave = false;
  let got = false;
  for (const { net } of legs.values()) {
    gave ||= net < 0n;
    got ||= net > 0n;
  }
  return gave && got;
};

const isTooLarge = ({ net }: Leg): boolean => net > AMOUNT_MAX || -net > AMOUNT_MAX;

type Sides = {
  readonly givers: ReadonlySet<string | null>;
  readonly getters: ReadonlySet<string | null>;
  /** Computed on demand: only an owner of several assets on a side needs it. */
  readonly exchanged: () => Exchanged;
};

type Exchanged = {
  /**
   * Assets that a party ends with more of although it also gives, and assets that a party ends with less of
   * although it also gets.
   */
  readonly keptByGiver: ReadonlySet<string>;
  readonly sentByGetter: ReadonlySet<string>;
};

const findSides = (flows: readonly Flow[], wrappedNative: string | null): Sides => {
  const givers = new Set<string | null>();
  const getters = new Set<string | null>();
  for (const { from, to } of flows) {
    // Wrapping works for everybody, so neither its contract nor the wrapping owner counts as a party to an
    // exchange.
    if (wrappedNative !== null && (from === wrappedNative || to === wrappedNative)) continue;
    givers.add(from);
    getters.add(to);
  }
  let exchanged: Exchanged | null = null;
  return {
    givers,
    getters,
    exchanged: () => {
      exchanged ??= findExchanged(flows, givers, getters);
      return exchanged;
    },
  };
};

const findExchanged = (
  flows: readonly Flow[],
  givers: ReadonlySet<string | null>,
  getters: ReadonlySet<string | null>,
): Exchanged => {
  const nets = new Map<string, Map<string | null, bigint>>();
  for (const { from, to, asset, amountRaw } of flows) {
    const net = nets.get(asset) ?? new Map<string | null, bigint>();
    nets.set(asset, net.set(from, (net.get(from) ?? 0n) - amountRaw));
    net.set(to, (net.get(to) ?? 0n) + amountRaw);
  }
  const keptByGiver = new Set<string>();
  const sentByGetter = new Set<string>();
  for (const [asset, net] of nets) {
    for (const [party, amount] of net) {
      if (amount > 0n && (party === null || givers.has(party))) keptByGiver.add(asset);
      if (amount < 0n && (party === null || getters.has(party))) sentByGetter.add(asset);
    }
  }
  return { keptByGiver, sentByGetter };
};

const chooseLegs = (owner: Owner, sides: Sides): { gave: readonly Leg[]; got: readonly Leg[] } => {
  const legs = [...owner.legs.values()];
  const gave = legs.filter(({ net }) => net < 0n);
  const got = legs.filter(({ net }) => net > 0n);
  const issued = got.some(({ sources }) => sources.has(null));
  const destroyed = gave.some(({ targets }) => targets.has(null));
  return {
    gave: preferring(
      gave.filter(({ targets }) => issued || targets.has(null) || intersects(targets, sides.givers)),
      () => sides.exchanged().keptByGiver,
    ),
    got: preferring(
      got.filter(
        ({ sources }) => destroyed || sources.has(null) || intersects(sources.keys(), sides.getters),
      ),
      () => sides.exchanged().sentByGetter,
    ),
  };
};

const intersects = (parties: Iterable<string | null>, others: ReadonlySet<string | null>): boolean => {
  for (const party of parties) if (others.has(party)) return true;
  return false;
};

const preferring = (legs: readonly Leg[], exchanged: () => ReadonlySet<string>): readonly Leg[] => {
  if (legs.length < 2) return legs;
  const assets = exchanged();
  const preferred = legs.filter(({ asset }) => assets.has(asset));
  return preferred.length > 0 ? preferred : legs;
};

const largest = (sources: ReadonlyMap<string | null, bigint>): string | null => {
  let best: string | null = null;
  let most = 0n;
  for (const [party, amount] of sources) {
    if (amount <= most) continue;
    best = party;
    most = amount;
  }
  return best;
};
