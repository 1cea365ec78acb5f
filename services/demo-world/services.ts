import { NATIVE } from '../investigate/model/movement.ts';
import { type ChainSide, pay, rawForUsd, type Stage, spendable, tryWrite } from './chain-side.ts';
import type { Exchange } from './exchange.ts';
import type { Merchants } from './person-life.ts';
import type { PopularFunder, Society } from './persons.ts';
import type { Random } from './random.ts';
import type { Call, Move } from './writer.ts';

const DAY = 86_400;

/** Bots and faucets that fund anybody: meaningless shared funders. */
export const createPopularFunders = (
  stage: Stage,
  side: ChainSide,
  count: number,
  name: 'gas bot' | 'broker',
): PopularFunder[] => {
  const random = stage.random.fork(`${name} ${side.chain}`);
  return Array.from({ length: count }, (_, at) => {
    const address = side.writer.newAddress();
    side.writer.endow(address, NATIVE, rawForUsd(stage, side.native, 5_000_000));
    // Brokers are on no list: their customers seem to have one owner behind them, most of all those of small ones.
    stage.truth.label(side.chain, address, `${name} ${at + 1}`, 'other', name === 'gas bot' && at === 0);
    stage.truth.own(`${name} ${at + 1}`, 'service', side.chain, address);
    return (to) =>
      pay(side, address, to, NATIVE, (side.writer.feeReserveRaw * BigInt(random.between(2, 6))) / 2n);
  });
};

/** Shops with many customers that cash out at an exchange: common counterparties of strangers. */
export const createMerchants = (
  stage: Stage,
  side: ChainSide,
  exchanges: readonly Exchange[],
  count: number,
): Merchants => {
  const random = stage.random.fork(`merchants ${side.chain}`);
  const addresses = Array.from({ length: count }, (_, at) => {
    const address = side.writer.newAddress();
    const id = `${side.chain}-merchant-${at + 1}`;
    const exchange = random.pick(exchanges);
    side.writer.endow(address, NATIVE, rawForUsd(stage, side.native, 500));
    stage.truth.label(side.chain, address, `merchant ${at + 1}`, 'other', false);
    stage.truth.own(id, 'merchant', side.chain, address);
    const cashOut = (): void => {
      exchange.deposit(address, side.usdc.asset, spendable(side, address, side.usdc.asset), id);
      exchange.deposit(address, NATIVE, (spendable(side, address, NATIVE) * 9n) / 10n, id);
      stage.simulation.after(DAY * (0.5 + random.unit()), cashOut);
    };
    stage.simulation.after(DAY * random.unit(), cashOut);
    return address;
  });
  // Customers follow a power law: everybody knows the first shop.
  return { pick: () => addresses[Math.floor(count * random.unit() ** 2.5)] ?? '' };
};

type BatchPayer = {
  readonly stage: Stage;
  readonly society: Society;
  readonly random: Random;
  readonly address: string;
  /** On Ethereum a contract pays out; on Solana one transaction has many transfers. */
  readonly splitter: string;
};

const batchCall = ({ stage, society, random, address, splitter }: BatchPayer): Call | null => {
  const { side } = society;
  const info = random.chance(0.5) ? side.usdc : side.native;
  const wageRaw = rawForUsd(stage, info, random.logNormal(120, 0.8));
  const isEvm = side.writer.family === 'evm';
  const payees = Array.from({ length: random.between(5, 18) }, () => random.pick(society.people).wallets[0]);
  const moves = payees.flatMap((to): Move[] => {
    if (to === undefined) return [];
    const amountRaw = random.chance(0.7) ? wageRaw : wageRaw / 2n;
    return [{ type: 'transfer', from: isEvm ? splitter : address, to, asset: info.asset, amountRaw }];
  });
  if (moves.length === 0) return null;
  if (!isEvm) return { moves };
  const amountRaw = moves.reduce((sum, move) => sum + (move.type === 'transfer' ? move.amountRaw : 0n), 0n);
  const fill: Move = { type: 'transfer', from: address, to: splitter, asset: info.asset, amountRaw };
  return { program: splitter, method: 'disperse', moves: [fill, ...moves] };
};

/** Pays many people in one transaction: wages, airdrops. */
export const createBatchPayers = (stage: Stage, society: Society, count: number): void => {
  const { side } = society;
  for (let at = 0; at < count; at++) {
    const payer: BatchPayer = {
      stage,
      society,
      random: stage.random.fork(`batch ${side.chain} ${at}`),
      address: side.writer.newAddress(),
      splitter: side.writer.newAddress(),
    };
    const { random, address, splitter } = payer;
    side.writer.addContract(splitter);
    side.writer.endow(address, NATIVE, rawForUsd(stage, side.native, 3_000_000));
    side.writer.endow(address, side.usdc.asset, rawForUsd(stage, side.usdc, 3_000_000));
    stage.truth.label(side.chain, address, `payroll ${at + 1}`, 'other', false);
    stage.truth.own(`payroll ${at + 1}`, 'service', side.chain, address);
    const payAll = (): void => {
      const call = batchCall(payer);
      if (call !== null) tryWrite(side, { sender: address, calls: [call] });
      stage.simulation.after(DAY * (0.3 + random.unit()), payAll);
    };
    stage.simulation.after(DAY * random.unit(), payAll);
  }
};
