import { NATIVE } from '../investigate/model/movement.ts';
import { type ChainSide, pay, rawForUsd, type Stage, spendable, usdOf } from './chain-side.ts';
import type { Dex } from './dex.ts';
import { humanAmount, type Person, type Society } from './persons.ts';
import type { Asset } from './writer.ts';

export type Merchants = { readonly pick: () => string };

export type LifeOptions = {
  readonly stage: Stage;
  readonly society: Society;
  readonly dex: Dex;
  /** Addresses that many strangers pay. */
  readonly merchants: Merchants;
};

type Deed = (person: Person, wallet: string) => void;

const DAY = 86_400;

/** A wallet of the person with money to spend; null if none has any. */
const solventWallet = (person: Person): string | null => {
  const from = person.random.below(Math.max(person.wallets.length, 1));
  for (let at = 0; at < person.wallets.length; at++) {
    const wallet = person.wallets[(from + at) % person.wallets.length];
    if (wallet !== undefined && spendable(person.side, wallet, NATIVE) > 0n) return wallet;
  }
  return null;
};

/** A part of the wallet's holding of that asset, as people choose it. */
const drawSpending = (person: Person, wallet: string, asset: Asset, most: number): bigint => {
  const share = most * person.random.unit() ** 2;
  const held = spendable(person.side, wallet, asset);
  const partRaw = (held * BigInt(Math.floor(share * 1_000_000))) / 1_000_000n;
  return humanAmount(person.random, person.side.infoOf(asset), partRaw);
};

const heldAssets = (stage: Stage, side: ChainSide, wallet: string): Asset[] =>
  [side.native, side.usdc, side.usdt, ...side.tokens, ...(side.taxed === null ? [] : [side.taxed])]
    .filter((info) => usdOf(stage, info, spendable(side, wallet, info.asset)) > 20)
    .map(({ asset }) => asset);

const createDeeds = ({
  stage,
  society,
  dex,
  merchants,
}: LifeOptions): readonly (readonly [number, Deed])[] => {
  const { side } = society;
  const anyHeld = (person: Person, wallet: string): Asset => {
    const assets = heldAssets(stage, side, wallet);
    return assets.length === 0 ? NATIVE : person.random.pick(assets);
  };
  const payFriend: Deed = (person, wallet) => {
    const friend = person.friends[person.random.below(Math.max(person.friends.length, 1))];
    const to = friend?.wallets[0];
    const asset = anyHeld(person, wallet);
    if (to !== undefined) pay(side, wallet, to, asset, drawSpending(person, wallet, asset, 0.3));
  };
  const payMerchant: Deed = (person, wallet) => {
    const info = person.random.chance(0.7) ? side.usdc : side.native;
    const price = rawForUsd(stage, info, person.random.logNormal(40, 1));
    pay(side, wallet, merchants.pick(), info.asset, humanAmount(person.random, info, price));
  };
  const swap: Deed = (person, wallet) => {
    const give = anyHeld(person, wallet);
    const others = [side.native, side.usdc, side.usdt, ...side.tokens].filter(({ asset }) => asset !== give);
    const get = others[Math.floor(others.length * person.random.unit() ** 1.6)];
    if (get !== undefined) dex.swap(wallet, give, drawSpending(person, wallet, give, 0.7), get.asset);
  };
  const depositToExchange: Deed = (person, wallet) => {
    const asset = anyHeld(person, wallet);
    person.exchange.deposit(wallet, asset, drawSpending(person, wallet, asset, 0.9), person.id);
  };
  const buy: Deed = (person, wallet) => {
    const info = person.random.chance(0.6) ? side.native : person.random.pick([side.usdc, side.usdt]);
    society.fund(person, wallet, info, Math.min(person.random.logNormal(600, 1.3), 300_000));
  };
  const shuffle: Deed = (person, wallet) => {
    const to = person.random.pick(person.wallets);
    const asset = anyHeld(person, wallet);
    pay(side, wallet, to, asset, drawSpending(person, wallet, asset, 0.6));
  };
  const consolidate: Deed = (person) => {
    const [to = '', ...others] = person.wallets;
    for (const from of others) {
      pay(side, from, to, NATIVE, spendable(side, from, NATIVE) - side.writer.feeReserveRaw);
    }
  };
  const topUpGas: Deed = (person, wallet) => {
    const dry = person.wallets.find((each) => spendable(side, each, NATIVE) === 0n);
    if (dry !== undefined) pay(side, wallet, dry, NATIVE, side.writer.feeReserveRaw * 3n);
  };
  const openAnother: Deed = (person) => {
    if (person.wallets.length < 12) society.openWallet(person);
  };
  const fail: Deed = (person, wallet) => {
    const program = person.random.pick(dex.routers);
    const moves =
      side.writer.family === 'evm'
        ? []
        : [{ type: 'transfer' as const, from: wallet, to: program, asset: NATIVE, amountRaw: 1_000_000n }];
    if (spendable(side, wallet, NATIVE) > side.writer.feeReserveRaw) {
      side.writer.write({ sender: wallet, fails: true, calls: [{ program, method: 'swap', moves }] });
    }
  };
  return [
    [0.2, payFriend],
    [0.18, payMerchant],
    [0.24, swap],
    [0.1, depositToExchange],
    [0.1, buy],
    [0.06, shuffle],
    [0.03, consolidate],
    [0.03, topUpGas],
    [0.02, openAnother],
    [0.04, fail],
  ];
};

/** Everyday life: everybody does these things, each at an own pace. */
export const startLives = (options: LifeOptions): void => {
  const { stage, society } = options;
  const deeds = createDeeds(options);
  const weights = deeds.map(([weight]) => weight);
  const live = (person: Person): void => {
    const wallet = solventWallet(person);
    const deed = deeds[person.random.weighted(weights)]?.[1];
    if (wallet !== null && deed !== undefined) deed(person, wallet);
    next(person);
  };
  const next = (person: Person): void =>
    stage.simulation.after(person.random.exponential(DAY / person.activity), () => live(person));
  for (const person of society.people) next(person);
};
