import { NATIVE } from '../../investigate/model/movement.ts';
import { pay } from '../chain-side.ts';
import { lastWallet, newWallet, percentOf, type Trail, type TrailReason } from './trail.ts';

type End = { readonly address: string; readonly last?: string; readonly accept?: string[] };

/** The default number of hops that a follower takes. */
export const MAX_HOPS_DEFAULT = 25;

/** Writes the truth about it. */
export const closeTrail = (trail: Trail, end: End): void => {
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
  // Half of the thieves use an old account of somebody else; the others open their own.
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
  const taker = bridge.takerOn(society.side);
  return sent === null ? null : { address: taker, last: taker };
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

/** No part has half, so there is no main stream any more. */
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
  // A little is spent: less than a tenth of the receipts.
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

/** Brings the money to the planned end; a trail whose payment fails is left out of the truth. */
export const endTrail = (trail: Trail): void => {
  const end = ENDS[trail.reason](trail);
  if (end !== null) closeTrail(trail, end);
};
