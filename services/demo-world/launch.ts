import { NATIVE } from '../investigate/model/movement.ts';
import { pay, rawForUsd, type Stage, spendable, type TokenInfo, tryWrite } from './chain-side.ts';
import { makeToken } from './make-token.ts';
import type { PopularFunder, Society } from './persons.ts';
import type { Random } from './random.ts';
import type { Move, Written } from './writer.ts';

export type LaunchOptions = {
  readonly stage: Stage;
  readonly society: Society;
  readonly popularFunders: readonly PopularFunder[];
  readonly count: number;
};

/** A bonding curve: the product of both sides is constant, so early buyers pay less. */
export type Curve = { readonly address: string; readonly token: string; coinRaw: bigint; tokenRaw: bigint };

type Launch = {
  readonly options: LaunchOptions;
  readonly random: Random;
  readonly curve: Curve;
  readonly program: string;
  readonly creator: string;
  readonly insiders: { address: string; kinds: string[] }[];
  readonly bystanders: string[];
  /** Buyers, recipients, and the creator's funder. */
  readonly acted: Set<string>;
  tx: Written | null;
};

const DAY = 86_400;
const HOUR = 3_600;
const SUPPLY_RAW = 1_000_000_000_000_000n;
const SOLANA_PROGRAM = '6EF8rrecthR5Dkzon8Nwu78hRvfCKubJ14M5uBEwF6P';
const VIRTUAL_COIN_USD = 5_000;

/** Coin in, tokens out, along the curve. */
export const buyMoves = (curve: Curve, buyer: string, coinRaw: bigint): Move[] => {
  const outRaw = curve.tokenRaw - (curve.tokenRaw * curve.coinRaw) / (curve.coinRaw + coinRaw);
  curve.coinRaw += coinRaw;
  curve.tokenRaw -= outRaw;
  return [
    { type: 'transfer', from: buyer, to: curve.address, asset: NATIVE, amountRaw: coinRaw },
    { type: 'transfer', from: curve.address, to: buyer, asset: curve.token, amountRaw: outRaw },
  ];
};

const callOf = ({ options, program, curve }: Launch): string =>
  options.society.side.writer.family === 'evm' ? curve.address : program;

const buy = (launch: Launch, buyer: string, usd: number): Written | null => {
  const { options, curve } = launch;
  const { side } = options.society;
  const coinRaw = rawForUsd(options.stage, side.native, usd);
  if (spendable(side, buyer, NATIVE) < coinRaw || curve.tokenRaw < SUPPLY_RAW / 20n) return null;
  const before = { ...curve };
  const moves = buyMoves(curve, buyer, coinRaw);
  const written = tryWrite(side, {
    sender: buyer,
    calls: [{ program: callOf(launch), method: 'buy', moves }],
  });
  if (written === null) Object.assign(curve, before);
  else launch.acted.add(buyer);
  return written;
};

const sell = (launch: Launch, seller: string, percent: number): void => {
  const { options, curve } = launch;
  const { side } = options.society;
  const tokenRaw = (side.writer.balance(seller, curve.token) * BigInt(percent)) / 100n;
  if (tokenRaw <= 0n) return;
  const coinRaw = curve.coinRaw - (curve.coinRaw * curve.tokenRaw) / (curve.tokenRaw + tokenRaw);
  const moves: Move[] = [
    { type: 'transfer', from: seller, to: curve.address, asset: curve.token, amountRaw: tokenRaw },
    { type: 'transfer', from: curve.address, to: seller, asset: NATIVE, amountRaw: coinRaw },
  ];
  const written = tryWrite(side, {
    sender: seller,
    calls: [{ program: callOf(launch), method: 'sell', moves }],
  });
  if (written === null) return;
  curve.coinRaw -= coinRaw;
  curve.tokenRaw += tokenRaw;
};

const newWallet = ({ options, curve }: Launch, owner: string): string => {
  const { side } = options.society;
  const address = side.writer.newAddress();
  options.stage.truth.own(`${owner} of ${curve.token}`, 'insider', side.chain, address);
  return address;
};

/** The creation: the supply is minted to the curve, and the creator buys first in the same transaction. */
const create = (launch: Launch): void => {
  const { options, curve, creator, random } = launch;
  const { side } = options.society;
  const coinRaw = rawForUsd(options.stage, side.native, 200 + 800 * random.unit());
  const moves: Move[] = [
    makeToken(side, curve.token, creator),
    { type: 'mint', to: curve.address, asset: curve.token, amountRaw: SUPPLY_RAW },
    ...buyMoves(curve, creator, coinRaw),
  ];
  launch.tx = tryWrite(side, {
    sender: creator,
    calls: [{ program: callOf(launch), method: 'create', moves }],
  });
};

/** Insiders' wallets: their funder and the time of their purchase give them away. */
const addInsiders = (launch: Launch, launchAt: number): void => {
  const { options, random, creator } = launch;
  const { stage, society } = options;
  const { side } = society;
  const budgetRaw = rawForUsd(stage, side.native, 1_500);
  const hub = newWallet(launch, 'creator');
  side.writer.endow(hub, NATIVE, budgetRaw * 40n);
  const add = (kinds: string[], funder: string, delay: number): void => {
    const address = newWallet(launch, 'creator');
    launch.insiders.push({ address, kinds });
    stage.simulation.at(launchAt - HOUR * (1 + 8 * random.unit()), () => {
      pay(side, funder, address, NATIVE, budgetRaw);
    });
    stage.simulation.at(launchAt + delay, () => buy(launch, address, 150 + 700 * random.unit()));
    stage.simulation.at(launchAt + DAY * (0.2 + random.unit()), () =>
      sell(launch, address, random.between(50, 100)),
    );
  };
  for (let at = 0; at < random.between(2, 4); at++) add(['creator_funded', 'bundle'], creator, 0.001);
  for (let at = 0; at < random.between(2, 5); at++) add(['shared_funder', 'bundle'], hub, 0.002);
  for (let at = 0; at < random.between(1, 3); at++) add(['shared_funder'], hub, 60 + 1_200 * random.unit());
  stage.simulation.at(launchAt - 30 * HOUR * random.unit() - HOUR, () => {
    if (pay(side, hub, creator, NATIVE, budgetRaw * 8n) !== null) launch.acted.add(hub);
  });
  const gifted = newWallet(launch, 'creator');
  launch.insiders.push({ address: gifted, kinds: ['launch_recipient'] });
  stage.simulation.at(launchAt + 1, () => {
    const giftRaw = side.writer.balance(creator, launch.curve.token) / 3n;
    if (pay(side, creator, gifted, launch.curve.token, giftRaw) !== null) launch.acted.add(gifted);
  });
  launch.insiders.push({ address: hub, kinds: ['funded_creator'] });
};

/** Bots that buy every launch, and the later public: early, but no insiders. */
const addPublic = (launch: Launch, launchAt: number, snipers: readonly string[]): void => {
  const { options, random } = launch;
  const { stage, society } = options;
  for (const sniper of snipers) {
    if (!random.chance(0.7)) continue;
    launch.insiders.push({ address: sniper, kinds: ['sniper'] });
    stage.simulation.at(launchAt + 0.01, () => buy(launch, sniper, 100 + 300 * random.unit()));
    stage.simulation.at(launchAt + 600 + HOUR * random.unit(), () => sell(launch, sniper, 100));
  }
  for (let at = 0; at < 25; at++) {
    const delay = random.exponential(8 * HOUR);
    stage.simulation.at(launchAt + delay, () => {
      const wallet = random.pick(society.people).wallets[0];
      const bought = wallet === undefined ? null : buy(launch, wallet, random.logNormal(60, 1));
      if (wallet === undefined || bought === null) return;
      // A buyer in the launch block is a sniper, whatever else it is.
      if (bought.blockNumber === launch.tx?.blockNumber)
        launch.insiders.push({ address: wallet, kinds: ['sniper'] });
      else launch.bystanders.push(wallet);
      stage.simulation.after(DAY * random.unit(), () => sell(launch, wallet, random.between(20, 100)));
    });
  }
};

const openLaunch = (options: LaunchOptions, at: number, snipers: readonly string[]): Launch => {
  const { stage, society } = options;
  const { side } = society;
  const { writer } = side;
  const token = writer.addToken({ decimals: 6 });
  const address = writer.newDerived();
  const program = writer.family === 'solana' ? SOLANA_PROGRAM : address;
  writer.addContract(program);
  writer.addContract(address, program);
  const curve: Curve = {
    address,
    token,
    coinRaw: rawForUsd(stage, side.native, VIRTUAL_COIN_USD),
    tokenRaw: SUPPLY_RAW,
  };
  const creator = writer.newAddress();
  const launch: Launch = {
    options,
    random: stage.random.fork(`launch ${side.chain} ${at}`),
    curve,
    program,
    creator,
    insiders: [{ address: creator, kinds: ['creator'] }],
    bystanders: [],
    acted: new Set([creator]),
    tx: null,
  };
  stage.truth.own(`creator of ${token}`, 'insider', side.chain, creator);
  const info: TokenInfo = { asset: token, symbol: `LAUNCH${at + 1}`, decimals: 6 };
  stage.truth.line({ type: 'asset', chain: side.chain, ...info, counterfeit: false });
  const launchAt = stage.startUnixSeconds + DAY * stage.days * (0.15 + 0.6 * launch.random.unit());
  stage.simulation.at(launchAt, () => create(launch));
  addInsiders(launch, launchAt);
  addPublic(launch, launchAt, snipers);
  return launch;
};

export const startLaunches = (options: LaunchOptions): void => {
  const { stage, society, count } = options;
  const { side } = society;
  const random = stage.random.fork(`snipers ${side.chain}`);
  const snipers = Array.from({ length: 4 }, (_, at) => {
    const address = side.writer.newAddress();
    side.writer.endow(address, NATIVE, rawForUsd(stage, side.native, 20_000 + 30_000 * random.unit()));
    stage.truth.own(`sniper ${at + 1}`, 'bot', side.chain, address);
    return address;
  });
  const launches = Array.from({ length: count }, (_, at) => openLaunch(options, at, snipers));
  stage.truth.atEnd(() => {
    for (const { curve, creator, insiders, bystanders, acted, tx } of launches) {
      if (tx === null) continue;
      stage.truth.line({
        type: 'launch',
        chain: side.chain,
        token: curve.token,
        tx: tx.hash,
        time: tx.timeUnixSeconds,
        creator,
        // A wallet that could not be funded did nothing, so it is no insider.
        insiders: insiders.filter(({ address }) => acted.has(address)),
        bystanders: [...new Set(bystanders)],
      });
    }
  });
};
