import { NATIVE } from '../../../investigate/model/movement.ts';
import { type ChainSide, pay, rawForUsd, type Stage, spendable } from '../chain-side.ts';
import type { Bridge } from '../cross-chain.ts';
import type { Dex } from '../dex.ts';
import type { FixedMixer } from '../mixer/fixed-mixer.ts';
import type { PopularFunder, Society } from '../persons.ts';
import type { Random } from '../random.ts';
import type { Asset, Written } from '../writer.ts';
import { type Cover, createCover } from './trail-cover.ts';

export type TrailReason =
  | 'exchange'
  | 'bridge'
  | 'mixer'
  | 'dex_swap'
  | 'split'
  | 'at_rest'
  | 'loop'
  | 'max_hops'
  | 'no_data';

export type TrailOptions = {
  readonly stage: Stage;
  readonly society: Society;
  readonly far: ChainSide;
  readonly dex: Dex;
  readonly mixer: FixedMixer;
  readonly bridge: Bridge;
  readonly popularFunders: readonly PopularFunder[];
  /** Trails for each reason. */
  readonly each: number;
};

export type TrailStart = {
  readonly chain: string;
  readonly start: string;
  readonly since: number;
  readonly reason: TrailReason;
  readonly hops: number;
};

type Trail = {
  readonly options: TrailOptions;
  readonly random: Random;
  readonly thief: string;
  readonly reason: TrailReason;
  readonly asset: Asset;
  /** Hops between wallets of the thief's before the end. */
  readonly length: number;
  readonly delaySeconds: number;
  /** The start and every wallet after it. */
  readonly wallets: string[];
  /** Wallets that the thief prepared: those yet to come. */
  readonly prepared: string[];
  readonly cover: Cover;
  /** Smart accounts of the trail, and who signs for them. */
  readonly operators: Map<string, string>;
  readonly lootUsd: number;
  /** Plain enough for a newcomer's first call. */
  readonly isExample: boolean;
  since: number;
};

type End = { readonly address: string; readonly last?: string; readonly accept?: string[] };

const DAY = 86_400;
const HOUR = 3_600;
const MAX_HOPS_DEFAULT = 25;
const REASONS: readonly TrailReason[] = [
  'exchange',
  'bridge',
  'mixer',
  'dex_swap',
  'split',
  'at_rest',
  'loop',
  'max_hops',
  'no_data',
];

const lastWallet = (trail: Trail): string => trail.wallets.at(-1) ?? '';

const percentOf = (trail: Trail, percent: number): bigint => {
  const held = spendable(trail.options.society.side, lastWallet(trail), trail.asset);
  return (held * BigInt(Math.round(percent * 10))) / 1_000n;
};

const newWallet = (trail: Trail): string => {
  const { side } = trail.options.society;
  const address = side.writer.newAddress();
  trail.options.stage.truth.own(trail.thief, 'thief', side.chain, address);
  return address;
};

/** A token needs gas to move: it comes from anywhere but the trail. */
const giveGas = (trail: Trail, wallet: string): void => {
  const { society, popularFunders } = trail.options;
  if (trail.asset === NATIVE) return;
  if (trail.random.chance(0.6)) trail.random.pick(popularFunders)(wallet);
  society.fund({ ...society.newcomer('gas'), random: trail.random }, wallet, society.side.native, 150);
};

const close = (trail: Trail, end: End): void => {
  const { stage, society } = trail.options;
  const [start = '', ...hops] = trail.wallets;
  if (end.last !== undefined) hops.push(end.last);
  stage.truth.line({
    type: 'trail',
    chain: society.side.chain,
    start,
    asset: trail.asset,
    since: trail.since,
    hops,
    end: { address: end.address, reason: trail.reason, accept: end.accept ?? [] },
    owner: trail.thief,
  });
};

const endAtExchange = (trail: Trail): End | null => {
  const exchange = trail.random.pick(trail.options.society.exchanges);
  // Half of the thieves use an account that somebody else has used for long; the others open their own.
  const customer = (trail.random.chance(0.5) ? exchange.regular() : null) ?? trail.thief;
  const paid = exchange.deposit(lastWallet(trail), trail.asset, percentOf(trail, 96), customer);
  const address = exchange.depositAddressOf(customer);
  return paid === null ? null : { address, last: address, accept: [...exchange.hotWallets] };
};

const endAtBridge = (trail: Trail): End | null => {
  const { bridge, society, far, stage } = trail.options;
  const to = far.writer.newAddress();
  stage.truth.own(trail.thief, 'thief', far.chain, to);
  const amountRaw = percentOf(trail, 95);
  const sent = bridge.send(society.side, lastWallet(trail), trail.asset, amountRaw, far, to, trail.thief);
  const vault = bridge.vaultOn(society.side);
  return sent === null ? null : { address: vault, last: vault };
};

const endAtMixer = (trail: Trail): End | null => {
  const { mixer } = trail.options;
  const held = percentOf(trail, 97);
  const pool = mixer.pools.findLastIndex(({ denominationRaw }) => denominationRaw * 3n <= held);
  const chosen = mixer.pools[pool];
  if (chosen === undefined) return null;
  const count = Number(held / chosen.denominationRaw);
  let paid = 0;
  for (let at = 0; at < Math.min(count, 30); at++) {
    if (mixer.deposit(lastWallet(trail), pool) !== null) paid++;
  }
  return paid === 0 ? null : { address: chosen.address, last: chosen.address };
};

const endAtSwap = (trail: Trail): End | null => {
  const { dex, society } = trail.options;
  const { side } = society;
  const get = trail.asset === NATIVE ? side.usdc.asset : NATIVE;
  const swapped = dex.swap(lastWallet(trail), trail.asset, percentOf(trail, 94), get);
  return swapped === null ? null : { address: lastWallet(trail) };
};

/** No part carries half: there is no main stream any more. */
const endInParts = (trail: Trail): End | null => {
  const parts = trail.random.between(3, 5);
  const partRaw = percentOf(trail, 92 / parts);
  let paid = 0;
  for (let at = 0; at < parts; at++) {
    const share = BigInt(trail.random.between(93, 107));
    if (
      pay(
        trail.options.society.side,
        lastWallet(trail),
        newWallet(trail),
        trail.asset,
        (partRaw * share) / 100n,
      ) !== null
    )
      paid++;
  }
  return paid === parts ? { address: lastWallet(trail) } : null;
};

const endInLoop = (trail: Trail): End | null => {
  const earlier = trail.wallets[trail.random.below(Math.max(trail.wallets.length - 2, 1))] ?? '';
  const paid = pay(trail.options.society.side, lastWallet(trail), earlier, trail.asset, percentOf(trail, 95));
  return paid === null ? null : { address: earlier, last: earlier };
};

const endAtRest = (trail: Trail): End => {
  // A little is spent: less than a tenth of what came is not a stream.
  if (trail.random.chance(0.5)) {
    pay(trail.options.society.side, lastWallet(trail), newWallet(trail), trail.asset, percentOf(trail, 4));
  }
  return { address: lastWallet(trail) };
};

const ENDS: Readonly<Record<TrailReason, (trail: Trail) => End | null>> = {
  exchange: endAtExchange,
  bridge: endAtBridge,
  mixer: endAtMixer,
  dex_swap: endAtSwap,
  split: endInParts,
  at_rest: endAtRest,
  loop: endInLoop,
  max_hops: (trail) => ({ address: trail.wallets[MAX_HOPS_DEFAULT] ?? lastWallet(trail) }),
  no_data: (trail) => ({ address: lastWallet(trail) }),
};

/** Mostly a plain payment, now and then through a contract that passes it on, or out of a smart account. */
const payOn = (trail: Trail, to: string, amountRaw: bigint): Written | null => {
  const { cover, random, asset } = trail;
  const from = lastWallet(trail);
  const operator = trail.operators.get(from);
  if (operator !== undefined) return cover.payFromAccount(operator, from, to, asset, amountRaw);
  if (!trail.isExample && random.chance(0.08)) return cover.payThrough(from, to, asset, amountRaw);
  return pay(trail.options.society.side, from, to, asset, amountRaw);
};

/** One hop: most goes on, in one payment or several; a little goes aside, before it or after. */
const hop = (trail: Trail): Written | null => {
  const { random, cover } = trail;
  const from = lastWallet(trail);
  const next = trail.prepared.shift() ?? newWallet(trail);
  const aside = random.chance(0.4) ? random.between(2, 14) : 0;
  if (aside > 0 && random.chance(0.5)) {
    payOn(trail, newWallet(trail), percentOf(trail, aside));
  }
  if (!trail.isExample && random.chance(0.3)) cover.poison(from, next);
  const payments = random.weighted([0, 0.75, 0.15, 0.1]);
  const mainRaw = percentOf(trail, 97 - aside);
  let written: Written | null = null;
  for (let at = 0; at < payments; at++) {
    // The first of several is the largest, so that one of them is the main one.
    const share = payments === 1 ? 100n : at === 0 ? 60n : 40n / BigInt(payments - 1);
    written = payOn(trail, next, (mainRaw * share) / 100n) ?? written;
  }
  if (written === null) return null;
  if (random.chance(0.2) && !trail.operators.has(from)) cover.addLaterMoney(from, trail.asset, mainRaw);
  giveGas(trail, next);
  trail.wallets.push(next);
  return written;
};

/**
 * A third of the wallets on the way are not new: they have been used before, and go on being used. Some are smart
 * accounts, for which somebody else signs; never the last, from which the end is made.
 */
const prepareWallets = (trail: Trail): void => {
  for (let at = 0; at < trail.length; at++) {
    const wallet = newWallet(trail);
    const draw = trail.random.unit();
    if (draw < 0.33) trail.cover.age(wallet, trail.lootUsd);
    else if (draw < 0.41 && at < trail.length - 1 && !trail.isExample) {
      const operator = newWallet(trail);
      trail.cover.openAccount(wallet, operator);
      trail.operators.set(wallet, operator);
    }
    trail.prepared.push(wallet);
  }
};

const walk = (trail: Trail): void => {
  const { stage } = trail.options;
  const delay = Math.min(trail.random.logNormal(trail.delaySeconds, 0.7), trail.delaySeconds * 3);
  stage.simulation.after(delay, () => {
    if (trail.wallets.length <= trail.length) {
      if (hop(trail) !== null) walk(trail);
      return;
    }
    const end = ENDS[trail.reason](trail);
    if (end !== null) close(trail, end);
  });
};

/** The loot comes from somebody who had it before the world began. */
const steal = (trail: Trail, usd: number): void => {
  const { stage, society } = trail.options;
  const { side } = society;
  const victim = side.writer.newAddress();
  const info = side.infoOf(trail.asset);
  const lootRaw = rawForUsd(stage, info, usd);
  side.writer.endow(victim, NATIVE, side.writer.feeReserveRaw * 10n);
  side.writer.endow(victim, trail.asset, (lootRaw * 12n) / 10n);
  stage.truth.own(`victim of ${trail.thief}`, 'person', side.chain, victim);
  stage.simulation.at(trail.since, () => {
    giveGas(trail, lastWallet(trail));
    if (pay(side, victim, lastWallet(trail), trail.asset, lootRaw) !== null) walk(trail);
  });
};

type TrailPlan = {
  readonly label: string;
  readonly reason: TrailReason;
  readonly length: number;
  readonly asset: Asset;
  readonly early: boolean;
};

const openTrail = (options: TrailOptions, cover: Cover, plan: TrailPlan): TrailStart => {
  const { stage, society } = options;
  const { chain } = society.side;
  const random = stage.random.fork(`trail ${chain} ${plan.label}`);
  const life = stage.days * DAY;
  const begin = plan.early ? 0.03 * life : life * (0.05 + 0.35 * random.unit());
  const left = plan.early ? 0.3 * life : life - begin;
  const trail: Trail = {
    options,
    random,
    thief: `${chain}-thief-${plan.label}`,
    reason: plan.reason,
    asset: plan.asset,
    length: plan.length,
    delaySeconds: Math.min(5 * HOUR, left / (plan.length + 2) / 2.2),
    wallets: [],
    prepared: [],
    operators: new Map(),
    cover,
    lootUsd: random.logNormal(70_000, 0.9),
    isExample: plan.early,
    since: Math.floor(stage.startUnixSeconds + begin),
  };
  trail.wallets.push(newWallet(trail));
  if (plan.reason === 'no_data') close(trail, { address: lastWallet(trail) });
  else {
    prepareWallets(trail);
    steal(trail, trail.lootUsd);
  }
  return { chain, start: lastWallet(trail), since: trail.since, reason: plan.reason, hops: plan.length };
};

const lengthOf = (random: Random, reason: TrailReason): number => {
  if (reason === 'max_hops') return MAX_HOPS_DEFAULT + random.between(2, 5);
  if (reason === 'no_data') return 0;
  return random.between(reason === 'loop' ? 2 : 1, 7);
};

/** Thefts whose ends are known. The first ones of each chain begin early, for whoever wants to try. */
export const startTrails = (options: TrailOptions): TrailStart[] => {
  const { stage, society, each } = options;
  const random = stage.random.fork(`trails ${society.side.chain}`);
  const cover = createCover(stage, society, random.fork('cover'));
  const starts: TrailStart[] = (['at_rest', 'loop', 'split'] as const).map((reason, at) =>
    openTrail(options, cover, {
      label: `example-${at + 1}`,
      reason,
      length: 5 - at,
      asset: NATIVE,
      early: true,
    }),
  );
  for (const reason of REASONS) {
    for (let at = 0; at < each; at++) {
      const asset = reason === 'mixer' || random.chance(0.6) ? NATIVE : society.side.usdc.asset;
      const length = lengthOf(random, reason);
      starts.push(
        openTrail(options, cover, { label: `${reason}-${at + 1}`, reason, length, asset, early: false }),
      );
    }
  }
  return starts;
};
