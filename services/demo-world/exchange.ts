import { NATIVE } from '../investigate/model/movement.ts';
import { type ChainSide, pay, rawForUsd, type Stage, usdOf } from './chain-side.ts';
import type { Asset, Written } from './writer.ts';

/** A custodial exchange: one deposit address per customer, swept into hot wallets that pay withdrawals. */
export type Exchange = {
  readonly name: string;
  readonly side: ChainSide;
  readonly hotWallets: readonly string[];
  /** An older customer whose deposit address has been swept before; null while there is none. */
  readonly regular: () => string | null;
  readonly depositAddressOf: (customer: string) => string;
  /** A customer pays in; the exchange sweeps it later. null if the wallet cannot pay. */
  readonly deposit: (from: string, asset: Asset, amountRaw: bigint, customer: string) => Written | null;
  readonly withdraw: (to: string, asset: Asset, amountRaw: bigint) => Written | null;
  /** Call it when another actor pays into a deposit address. */
  readonly noticeDeposit: (depositAddress: string) => void;
};

export type ExchangeOptions = {
  readonly name: string;
  /** On Solana the exchange's gas wallet pays for sweeps, not the deposit address. */
  readonly paysForSweeps: boolean;
  readonly hotWallets: number;
  /** Hot wallets missing from every public list. */
  readonly unknownHotWallets: number;
};

const HOUR = 3_600;
const SWEEP_MINIMUM_USD = 5;
const SWEEP_LATEST_SECONDS = 20 * HOUR;
const REBALANCE_SECONDS = 8 * HOUR;
const ENDOWMENT_USD = 400_000_000;

type Desk = {
  readonly stage: Stage;
  readonly side: ChainSide;
  readonly options: ExchangeOptions;
  readonly random: Stage['random'];
  /** The first collects sweeps, the others pay withdrawals. */
  readonly hot: readonly string[];
  readonly gasWallet: string;
  readonly assets: readonly Asset[];
};

const openDesk = (stage: Stage, side: ChainSide, options: ExchangeOptions): Desk => {
  const { writer } = side;
  const hot = Array.from({ length: options.hotWallets }, writer.newAddress);
  const gasWallet = writer.newAddress();
  const stocked = [side.native, side.usdc, side.usdt, ...side.tokens];
  for (const [at, address] of hot.entries()) {
    for (const info of stocked) {
      const usd = ENDOWMENT_USD / stocked.length / hot.length;
      writer.endow(address, info.asset, rawForUsd(stage, info, usd));
    }
    const known = at < hot.length - options.unknownHotWallets;
    stage.truth.label(side.chain, address, `${options.name} ${at + 1}`, 'exchange', known);
    stage.truth.own(options.name, 'exchange', side.chain, address);
  }
  writer.endow(gasWallet, NATIVE, rawForUsd(stage, side.native, 500_000));
  stage.truth.label(side.chain, gasWallet, `${options.name} gas`, 'exchange', false);
  stage.truth.own(options.name, 'exchange', side.chain, gasWallet);
  return {
    stage,
    side,
    options,
    random: stage.random.fork(`exchange ${side.chain} ${options.name}`),
    hot,
    gasWallet,
    assets: stocked.map(({ asset }) => asset),
  };
};

const sweepNative = (desk: Desk, address: string, collector: string): Written | null => {
  const { writer } = desk.side;
  const held = writer.balance(address, NATIVE);
  if (writer.family === 'solana' && desk.options.paysForSweeps) {
    return pay(desk.side, address, collector, NATIVE, held, desk.gasWallet);
  }
  return pay(desk.side, address, collector, NATIVE, held - writer.paymentFeeMaxRaw);
};

const sweepToken = (desk: Desk, address: string, asset: Asset, collector: string): Written | null => {
  const { side } = desk;
  const { writer } = side;
  const held = writer.balance(address, asset);
  if (writer.family === 'solana') return pay(side, address, collector, asset, held, desk.gasWallet);
  // A token's deposit address has no coin for gas: the exchange funds it first, for every customer.
  if (writer.balance(address, NATIVE) < writer.feeReserveRaw / 2n) {
    pay(side, desk.gasWallet, address, NATIVE, writer.feeReserveRaw / 2n);
  }
  return pay(side, address, collector, asset, held);
};

/** Sweeps everything worth it to the collector; true if something moved. */
const sweep = (desk: Desk, address: string): boolean => {
  const { stage, side, hot } = desk;
  const collector = hot[0] ?? '';
  let swept = false;
  for (const asset of desk.assets) {
    const usd = usdOf(stage, side.infoOf(asset), side.writer.balance(address, asset));
    if (asset === NATIVE || usd < SWEEP_MINIMUM_USD) continue;
    swept = sweepToken(desk, address, asset, collector) !== null || swept;
  }
  const nativeUsd = usdOf(stage, side.native, side.writer.balance(address, NATIVE));
  // On Ethereum the rest of a gas top-up is not worth a payment.
  if (nativeUsd < SWEEP_MINIMUM_USD || (swept && nativeUsd < 100)) return swept;
  return sweepNative(desk, address, collector) !== null || swept;
};

/** The collector refills the paying wallets in proportion to their shortfall. */
const rebalance = (desk: Desk): void => {
  const { stage, side, hot, random } = desk;
  const [collector = '', ...paying] = hot;
  const asset = random.pick(desk.assets);
  const poorest = paying
    .map((address) => ({ address, held: side.writer.balance(address, asset) }))
    .sort((a, b) => (a.held < b.held ? -1 : 1))[0];
  const held = side.writer.balance(collector, asset);
  if (poorest !== undefined && held > poorest.held) {
    pay(side, collector, poorest.address, asset, (held - poorest.held) / 2n);
  }
  stage.simulation.after(REBALANCE_SECONDS * (0.5 + random.unit()), () => rebalance(desk));
};

export const createExchange = (stage: Stage, side: ChainSide, options: ExchangeOptions): Exchange => {
  const desk = openDesk(stage, side, options);
  const { random, hot } = desk;
  const customers = new Map<string, string>();
  const sweeps = new Map<string, number>();
  const due = new Set<string>();
  const noticeDeposit = (address: string): void => {
    if (due.has(address)) return;
    due.add(address);
    const delay = Math.min(random.logNormal(1_500, 1.2), SWEEP_LATEST_SECONDS);
    stage.simulation.after(delay, () => {
      due.delete(address);
      if (sweep(desk, address)) sweeps.set(address, (sweeps.get(address) ?? 0) + 1);
    });
  };
  const depositAddressOf = (customer: string): string => {
    const known = customers.get(customer);
    if (known !== undefined) return known;
    const address = side.writer.newAddress();
    customers.set(customer, address);
    return address;
  };
  stage.simulation.after(REBALANCE_SECONDS * random.unit(), () => rebalance(desk));
  stage.truth.atEnd(() => {
    for (const [owner, address] of customers) {
      stage.truth.line({
        type: 'deposit_address',
        chain: side.chain,
        address,
        exchange: options.name,
        owner,
        sweeps: sweeps.get(address) ?? 0,
      });
    }
  });
  return {
    name: options.name,
    side,
    hotWallets: hot,
    regular: () => {
      const swept = [...customers].filter(([, address]) => (sweeps.get(address) ?? 0) >= 2);
      return swept[random.below(Math.max(swept.length, 1))]?.[0] ?? null;
    },
    depositAddressOf,
    noticeDeposit,
    deposit: (from, asset, amountRaw, customer) => {
      const address = depositAddressOf(customer);
      const written = pay(side, from, address, asset, amountRaw);
      if (written !== null) noticeDeposit(address);
      return written;
    },
    withdraw: (to, asset, amountRaw) => {
      const from = hot[1 + random.below(hot.length - 1)] ?? hot[0] ?? '';
      return pay(side, from, to, asset, amountRaw) ?? pay(side, hot[0] ?? '', to, asset, amountRaw);
    },
  };
};
