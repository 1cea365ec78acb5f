import { NATIVE } from '../investigate/model/movement.ts';
import { pay, rawForUsd, type Stage, spendable, tryWrite, usdOf } from './chain-side.ts';
import type { Dex } from './dex.ts';
import { lookalikeOf } from './lookalike.ts';
import type { Society } from './persons.ts';
import type { Random } from './random.ts';
import type { Move } from './writer.ts';

export type NoiseOptions = {
  readonly stage: Stage;
  readonly society: Society;
  readonly dex: Dex;
  readonly scale: number;
};

const DAY = 86_400;

const repeat = (stage: Stage, random: Random, perDay: number, run: () => void): void => {
  const next = (): void => {
    stage.simulation.after(random.exponential(DAY / perDay), () => {
      run();
      next();
    });
  };
  next();
};

/**
 * Poisoners watch payments and put a look-alike of the payee into the payer's history: with dust, zero amounts, or
 * a counterfeit stablecoin.
 */
const startPoisoners = ({ stage, society, scale }: NoiseOptions): void => {
  const { side } = society;
  const { writer } = side;
  const random = stage.random.fork(`poison ${side.chain}`);
  const poisoner = writer.newAddress();
  const contract = writer.newAddress();
  writer.addContract(contract);
  writer.endow(poisoner, NATIVE, rawForUsd(stage, side.native, 40_000));
  stage.truth.own('poisoner', 'poisoner', side.chain, poisoner);
  stage.truth.own('poisoner', 'poisoner', side.chain, contract);
  repeat(stage, random, 30 * scale, () => {
    const person = random.pick(society.people);
    const victim = person.wallets[0];
    const of = person.friends[random.below(Math.max(person.friends.length, 1))]?.wallets[0];
    if (victim === undefined || of === undefined) return;
    const address = lookalikeOf(side, of);
    stage.truth.own('poisoner', 'poisoner', side.chain, address);
    const draw = random.unit();
    const { asset: fake } = side.counterfeit;
    const fakeRaw = BigInt(random.between(5, 4_000)) * 1_000_000n;
    const faked: Move = {
      type: 'transfer',
      from: victim,
      to: address,
      asset: fake,
      amountRaw: fakeRaw,
      authority: contract,
    };
    const nothing: Move = {
      type: 'transfer',
      from: victim,
      to: address,
      asset: side.usdc.asset,
      amountRaw: 0n,
      authority: contract,
    };
    const minted: Move = { type: 'mint', to: victim, asset: fake, amountRaw: fakeRaw };
    const dustRaw = writer.feeReserveRaw * 3n;
    if (writer.family === 'solana' || draw < 0.3) pay(side, poisoner, address, NATIVE, dustRaw);
    const written =
      writer.family === 'evm' && draw >= 0.3
        ? tryWrite(side, {
            sender: poisoner,
            calls: [
              { program: contract, method: 'multicall', moves: draw < 0.65 ? [nothing] : [minted, faked] },
            ],
          })
        : draw < 0.6
          ? pay(side, address, victim, NATIVE, writer.feeReserveRaw / 2_000n)
          : tryWrite(side, {
              sender: poisoner,
              calls: [
                {
                  program: contract,
                  method: 'drop',
                  moves: [
                    { ...minted, to: address },
                    { ...faked, from: address, to: victim, authority: address },
                  ],
                },
              ],
            });
    if (written === null) return;
    stage.truth.line({ type: 'lookalike', chain: side.chain, address, of, victim, tx: written.hash });
  });
};

/** Sends dust to many wallets at once: links without meaning. */
const startDusters = ({ stage, society, scale }: NoiseOptions): void => {
  const { side } = society;
  const random = stage.random.fork(`dust ${side.chain}`);
  const duster = side.writer.newAddress();
  side.writer.endow(duster, NATIVE, rawForUsd(stage, side.native, 20_000));
  stage.truth.own('duster', 'duster', side.chain, duster);
  repeat(stage, random, 40 * scale, () => {
    const to = random.pick(society.people).wallets[0];
    if (to !== undefined) pay(side, duster, to, NATIVE, side.writer.feeReserveRaw / 4_000n);
  });
};

/** Trades through three pools in one transaction: large flows that end where they began. */
const startArbitrage = ({ stage, society, dex, scale }: NoiseOptions): void => {
  const { side } = society;
  const { writer } = side;
  const random = stage.random.fork(`arbitrage ${side.chain}`);
  const owner = writer.newAddress();
  const contract = writer.newAddress();
  const holder = writer.family === 'evm' ? contract : owner;
  writer.addContract(contract);
  writer.endow(owner, NATIVE, rawForUsd(stage, side.native, 300_000));
  writer.endow(holder, writer.wrapped, rawForUsd(stage, side.native, 400_000));
  for (const address of [owner, contract]) stage.truth.own('arbitrage bot', 'bot', side.chain, address);
  const ring = [writer.wrapped, side.usdc.asset, side.usdt.asset, writer.wrapped];
  repeat(stage, random, 90 * scale, () => {
    const usd = random.logNormal(4_000, 1);
    const moves: Move[] = [];
    for (const [at, give] of ring.slice(0, -1).entries()) {
      const get = ring[at + 1] ?? give;
      const coin = (asset: string): string => (asset === writer.wrapped ? NATIVE : asset);
      const pool = dex.poolOf(coin(give), coin(get));
      if (pool === null) return;
      const gain = 1 + 0.0008 * (at + 1);
      const giveRaw = rawForUsd(stage, side.infoOf(give), usd * (at === 0 ? 1 : gain));
      const getRaw = rawForUsd(stage, side.infoOf(get), usd * gain * 1.0002);
      moves.push({ type: 'transfer', from: holder, to: pool, asset: give, amountRaw: giveRaw });
      moves.push({ type: 'transfer', from: pool, to: holder, asset: get, amountRaw: getRaw });
    }
    tryWrite(side, {
      sender: owner,
      fails: random.chance(0.25),
      calls: [{ program: contract, method: 'arb', moves }],
    });
  });
};

/** Public trading bots with countless counterparties. */
const startTraders = ({ stage, society, dex, scale }: NoiseOptions): void => {
  const { side } = society;
  const { writer } = side;
  for (let at = 0; at < Math.max(1, Math.round(4 * scale)); at++) {
    const random = stage.random.fork(`trader ${side.chain} ${at}`);
    const trader = writer.newAddress();
    writer.endow(trader, NATIVE, rawForUsd(stage, side.native, 200_000));
    writer.endow(trader, side.usdc.asset, rawForUsd(stage, side.usdc, 200_000));
    stage.truth.own(`trader ${at + 1}`, 'bot', side.chain, trader);
    const markets = [side.native, side.usdc, side.usdt, ...side.tokens];
    repeat(stage, random, 35, () => {
      const held = markets.filter((info) => usdOf(stage, info, spendable(side, trader, info.asset)) > 100);
      if (held.length === 0) return;
      const give = random.pick(held);
      const get = random.pick(markets.filter((info) => info !== give));
      const part = BigInt(random.between(2, 12));
      dex.swap(trader, give.asset, spendable(side, trader, give.asset) / part, get.asset);
    });
  }
};

/** Unremarkable wallets that pay one another: a few very busy, most rarely active. */
const startCrowd = ({ stage, society, scale }: NoiseOptions): void => {
  const { side } = society;
  const { writer } = side;
  const random = stage.random.fork(`crowd ${side.chain}`);
  const wallets = Array.from({ length: Math.max(20, Math.round(500 * scale)) }, writer.newAddress);
  const infos = [side.native, side.usdc, ...(side.taxed === null ? [] : [side.taxed])];
  for (const [at, wallet] of wallets.entries()) {
    stage.truth.own(`crowd-${side.chain}-${at + 1}`, 'person', side.chain, wallet);
    const usd = 200_000 / (1 + at / 4) + 200;
    for (const info of infos) writer.endow(wallet, info.asset, rawForUsd(stage, info, usd));
  }
  const pick = (): string => wallets[Math.floor(wallets.length * random.unit() ** 3)] ?? '';
  repeat(stage, random, Math.max(20, 260 * scale), () => {
    const from = pick();
    const to = random.chance(0.9) ? pick() : random.pick(society.people).wallets[0];
    const info = infos[random.weighted([0.6, 0.35, 0.05])] ?? side.native;
    if (to === undefined || from === to) return;
    const part = BigInt(random.between(10, 2_000));
    pay(side, from, to, info.asset, spendable(side, from, info.asset) / part);
  });
};

export const startNoise = (options: NoiseOptions): void => {
  startPoisoners(options);
  startDusters(options);
  startArbitrage(options);
  startTraders(options);
  startCrowd(options);
};
