import { NATIVE } from '../investigate/model/movement.ts';
import { type ChainSide, rawForUsd, type Stage, spendable, toAmount, toRaw, tryWrite } from './chain-side.ts';
import type { Asset, Call, Move, Written } from './writer.ts';

export type Swapped = Written & { readonly gotRaw: bigint };

/** Pools around the true price behind a router; two pools if none holds both assets. */
export type Dex = {
  /** null if the owner lacks the money, or no pools connect the assets. */
  readonly swap: (owner: string, give: Asset, giveRaw: bigint, get: Asset) => Swapped | null;
  readonly poolOf: (one: Asset, other: Asset) => string | null;
  readonly routers: readonly string[];
};

type Pool = { readonly address: string; readonly one: Asset; readonly other: Asset };

const SOLANA_POOL_PROGRAM = 'whirLbMiicVdio4qvUfM5KAg6Ct8VwpYzGff3uctyCc';
const SOLANA_ROUTER_PROGRAM = 'JUP6LkbZbjS1jKKwapdHNy74zcZ3tLUZoi5QNyVTaV4';
const POOL_FEE = 0.0025;
const STABLE_POOL_FEE = 0.0004;
/** Trades deviate a little from the true price, and sometimes somebody pays far too much. */
const SPREAD = 0.0006;
const OUTLIER_SHARE = 0.002;
const RESERVE_USD = 30_000_000;

const poolPairs = (side: ChainSide): (readonly [Asset, Asset])[] => [
  [side.native.asset, side.usdc.asset],
  [side.native.asset, side.usdt.asset],
  [side.usdc.asset, side.usdt.asset],
  ...side.tokens.map(({ asset }) => [side.native.asset, asset] as const),
  ...side.tokens.slice(0, 2).map(({ asset }) => [side.usdc.asset, asset] as const),
];

const held = (side: ChainSide, asset: Asset): Asset => (asset === NATIVE ? side.writer.wrapped : asset);

const openPool = (stage: Stage, side: ChainSide, one: Asset, other: Asset, at: number): Pool => {
  const { writer } = side;
  const address = writer.newDerived();
  writer.addContract(address, SOLANA_POOL_PROGRAM);
  for (const asset of [one, other]) {
    writer.endow(address, held(side, asset), rawForUsd(stage, side.infoOf(asset), RESERVE_USD / (1 + at)));
  }
  stage.truth.label(side.chain, address, `dex pool ${at + 1}`, 'dex', at < 4);
  stage.truth.own('dex', 'dex', side.chain, address);
  return { address, one, other };
};

/** Ethereum: the effects of the sender's one call to the router. */
const evmMoves = (
  side: ChainSide,
  router: string,
  owner: string,
  path: readonly Pool[],
  legs: readonly Leg[],
): Move[] => {
  const moves: Move[] = [];
  const first = legs[0];
  const last = legs.at(-1);
  const pool = path[0];
  if (first === undefined || last === undefined || pool === undefined) return moves;
  const give = held(side, first.asset);
  if (first.asset === NATIVE) {
    moves.push({ type: 'transfer', from: owner, to: router, asset: NATIVE, amountRaw: first.amountRaw });
    moves.push({ type: 'wrap', owner: router, amountRaw: first.amountRaw });
  }
  const payer = first.asset === NATIVE ? router : owner;
  moves.push({ type: 'transfer', from: payer, to: pool.address, asset: give, amountRaw: first.amountRaw });
  for (const [at, leg] of legs.slice(1).entries()) {
    const taker = leg === last ? (last.asset === NATIVE ? router : owner) : (path[at + 1]?.address ?? router);
    const from = path[at]?.address ?? '';
    moves.push({ type: 'transfer', from, to: taker, asset: held(side, leg.asset), amountRaw: leg.amountRaw });
  }
  if (last.asset === NATIVE) {
    moves.push({ type: 'unwrap', owner: router, amountRaw: last.amountRaw });
    moves.push({ type: 'transfer', from: router, to: owner, asset: NATIVE, amountRaw: last.amountRaw });
  }
  return moves;
};

type Leg = { readonly asset: Asset; readonly amountRaw: bigint };

/** Solana: the owner wraps, the program moves tokens between the owner and each pool, the owner unwraps. */
const solanaCalls = (side: ChainSide, owner: string, path: readonly Pool[], legs: readonly Leg[]): Call[] => {
  const moves: Move[] = path.flatMap((pool, at) => {
    const give = legs[at];
    const get = legs[at + 1];
    if (give === undefined || get === undefined) return [];
    const paid = { from: owner, to: pool.address, asset: held(side, give.asset), amountRaw: give.amountRaw };
    const got = { from: pool.address, to: owner, asset: held(side, get.asset), amountRaw: get.amountRaw };
    return [
      { type: 'transfer', ...paid },
      { type: 'transfer', ...got },
    ];
  });
  const program = path.length > 1 ? SOLANA_ROUTER_PROGRAM : SOLANA_POOL_PROGRAM;
  const calls: Call[] = [{ program, method: 'swap', moves }];
  const first = legs[0];
  const usesCoin = first?.asset === NATIVE || legs.at(-1)?.asset === NATIVE;
  if (first?.asset === NATIVE)
    calls.unshift({ moves: [{ type: 'wrap', owner, amountRaw: first.amountRaw }] });
  if (usesCoin) calls.push({ moves: [{ type: 'unwrap', owner, amountRaw: 0n }] });
  return calls;
};

export const createDex = (stage: Stage, side: ChainSide): Dex => {
  const { writer } = side;
  const random = stage.random.fork(`dex ${side.chain}`);
  const routers = [writer.newAddress(), writer.newAddress()];
  for (const router of routers) {
    writer.addContract(router);
    stage.truth.label(side.chain, router, 'dex router', 'dex', true);
    stage.truth.own('dex', 'dex', side.chain, router);
  }
  for (const program of [SOLANA_POOL_PROGRAM, SOLANA_ROUTER_PROGRAM]) writer.addContract(program);
  const pools = poolPairs(side).map(([one, other], at) => openPool(stage, side, one, other, at));
  const approved = new Set<string>();
  const poolBetween = (one: Asset, other: Asset): Pool | null =>
    pools.find(
      (pool) => (pool.one === one && pool.other === other) || (pool.one === other && pool.other === one),
    ) ?? null;
  const pathFrom = (give: Asset, get: Asset): readonly Pool[] => {
    const direct = poolBetween(give, get);
    if (direct !== null) return [direct];
    const there = poolBetween(give, NATIVE);
    const back = poolBetween(NATIVE, get);
    return there === null || back === null ? [] : [there, back];
  };
  const stable = new Set([side.usdc.asset, side.usdt.asset]);
  const feeOf = (give: Asset, get: Asset): number =>
    stable.has(give) && stable.has(get) ? STABLE_POOL_FEE : POOL_FEE;
  const quote = (leg: Leg, get: Asset): Leg => {
    const now = stage.simulation.now();
    const from = side.infoOf(leg.asset);
    const to = side.infoOf(get);
    const rate = stage.prices.usd(from.symbol, now) / stage.prices.usd(to.symbol, now);
    const off = random.chance(OUTLIER_SHARE) ? 0.4 * random.unit() : SPREAD * random.normal();
    const amount = toAmount(from, leg.amountRaw) * rate * (1 - feeOf(leg.asset, get)) * (1 - off);
    return { asset: get, amountRaw: toRaw(to, amount) };
  };
  const quotePath = (path: readonly Pool[], give: Leg, get: Asset): Leg[] => {
    const legs = [give];
    for (let at = 0; at < path.length; at++) {
      legs.push(quote(legs[at] ?? give, at === path.length - 1 ? get : NATIVE));
    }
    return legs;
  };
  const approveRouter = (owner: string, asset: Asset, router: string): void => {
    const key = `${owner} ${asset} ${router}`;
    if (asset === NATIVE || approved.has(key)) return;
    approved.add(key);
    const approval: Move = { type: 'approve', owner, spender: router, asset, amountRaw: 2n ** 255n };
    tryWrite(side, { sender: owner, calls: [{ moves: [approval] }] });
  };
  return {
    routers,
    poolOf: (one, other) => poolBetween(one, other)?.address ?? null,
    swap: (owner, give, giveRaw, get) => {
      const path = pathFrom(give, get);
      if (path.length === 0 || giveRaw <= 0n || spendable(side, owner, give) < giveRaw) return null;
      const legs = quotePath(path, { asset: give, amountRaw: giveRaw }, get);
      const gotRaw = legs.at(-1)?.amountRaw ?? 0n;
      if (gotRaw <= 0n) return null;
      const router = random.pick(routers);
      if (writer.family === 'evm') approveRouter(owner, give, router);
      const calls =
        writer.family === 'solana'
          ? solanaCalls(side, owner, path, legs)
          : [{ program: router, method: 'swap', moves: evmMoves(side, router, owner, path, legs) }];
      const written = tryWrite(side, { sender: owner, calls });
      return written === null ? null : { ...written, gotRaw };
    },
  };
};
