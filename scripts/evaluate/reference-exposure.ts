import type { TruthLine } from '../../services/demo-world/truth.ts';
import { toCanonicalAsset } from '../../services/investigate/model/asset.ts';
import type { DecodedBlock } from '../../services/investigate/model/block.ts';
import { findChain } from '../../services/investigate/model/chain.ts';
import type { Label, LabelKind } from '../../services/investigate/model/label.ts';
import { HAND_OVER_KINDS } from '../../services/investigate/model/transfer-reader.ts';

/** Dollars by kind of party; `unattributed` for the rest. */
export type Shares = ReadonlyMap<LabelKind | 'unattributed', number>;

type Row = {
  readonly at: number;
  readonly time: number;
  readonly from: string;
  readonly to: string;
  readonly canonicalAsset: string;
  readonly raw: number;
  readonly usd: number;
  /** The owner of the swap that it belongs to. */
  readonly swappers: ReadonlySet<string>;
};

type Lot = { readonly row: Row; readonly usd: number };

type World = {
  readonly rows: ReadonlyMap<string, readonly Row[]>;
  /** The payer of a fee. */
  readonly senders: ReadonlySet<string>;
  readonly labels: ReadonlyMap<string, Label>;
  /** Every address of any movement with its first time, and its counterparties. */
  readonly named: ReadonlyMap<string, number>;
  readonly met: ReadonlySet<string>;
  /** Addresses of control events. */
  readonly controlled: ReadonlySet<string>;
};

const HOPS = 4;
const PARTIES = 100;

/** All movements of the coin and stablecoins at true prices, in memory and unbounded. */
export const readReference = (
  blocks: readonly DecodedBlock[],
  truth: readonly TruthLine[],
  labels: ReadonlyMap<string, Label>,
): World => {
  const priceAt = readPrices(truth);
  const rows = new Map<string, Row[]>();
  const [senders, named, met] = [new Set<string>(), new Map<string, number>(), new Set<string>()];
  const controlled = new Set<string>();
  let at = 0;
  for (const block of blocks) {
    const time = block.timeUnixSeconds ?? 0;
    for (const { subject } of block.controlEvents) controlled.add(`${block.chain} ${subject}`);
    for (const { sender } of block.transactions) senders.add(`${block.chain} ${sender}`);
    for (const { from, to } of block.movements)
      met.add(`${block.chain} ${from} ${to}`).add(`${block.chain} ${to} ${from}`);
    for (const side of block.movements.flatMap(({ from, to }) => [from, to])) {
      const key = `${block.chain} ${side}`;
      if (side !== null && !named.has(key)) named.set(key, time);
    }
    for (const payment of paymentsOf(block, priceAt)) {
      const row = { at: at++, time, ...payment };
      for (const wallet of [row.from, row.to]) {
        const key = `${block.chain} ${wallet}`;
        rows.set(key, [...(rows.get(key) ?? []), row]);
      }
    }
  }
  return { rows, senders, labels, named, met, controlled };
};

/** Final transfers with a price. */
const paymentsOf = (block: DecodedBlock, priceAt: PriceAt): Omit<Row, 'at' | 'time'>[] => {
  const chain = findChain(block.chain);
  if (chain === null) return [];
  const swaps = Map.groupBy(block.swaps, ({ txIndex }) => txIndex);
  return block.movements.flatMap(({ txIndex, kind, from, to, asset, amountRaw }) => {
    const isHandOver = (HAND_OVER_KINDS as readonly string[]).includes(kind) && amountRaw > 0n;
    if (!isHandOver || from === null || to === null || from === to) return [];
    const canonicalAsset = toCanonicalAsset(chain, asset);
    const price = priceAt(block.chain, canonicalAsset, block.timeUnixSeconds ?? 0);
    if (price === null) return [];
    const swappers = new Set((swaps.get(txIndex ?? -1) ?? []).map(({ owner }) => owner));
    return [{ from, to, canonicalAsset, raw: Number(amountRaw), usd: Number(amountRaw) * price, swappers }];
  });
};

type PriceAt = (chain: string, canonicalAsset: string, time: number) => number | null;

/** Price of one raw unit of the coin and stablecoins. */
const readPrices = (truth: readonly TruthLine[]): PriceAt => {
  const decimals = new Map<string, number>([
    ['solana native', 9],
    ['ethereum native', 18],
  ]);
  const dollars = new Set<string>();
  for (const line of truth)
    if (line.type === 'asset' && !line.counterfeit && ['USDC', 'USDT'].includes(line.symbol)) {
      decimals.set(`${line.chain} ${line.asset}`, line.decimals);
      dollars.add(`${line.chain} ${line.asset}`);
    }
  const hours = new Map<string, number>();
  for (const line of truth)
    if (line.type === 'price')
      hours.set(`${line.chain} ${line.asset} ${Math.floor(line.time / 3_600)}`, line.usd);
  return (chain, canonicalAsset, time) => {
    const scale = decimals.get(`${chain} ${canonicalAsset}`);
    if (scale === undefined) return null;
    const usd = dollars.has(`${chain} ${canonicalAsset}`)
      ? 1
      : hours.get(`${chain} ${canonicalAsset} ${Math.floor(time / 3_600)}`);
    return usd === undefined ? null : usd / 10 ** scale;
  };
};

/**
 * Exposure again by plain recursion from movement to movement: nothing is shared, merged, cut or left out. null:
 * nothing moved that way.
 */
export const referenceExposure = (
  world: World,
  chain: string,
  subject: string,
  way: 'in' | 'out',
): Shares | null => {
  const known = new Map<string, Shares>();
  const rowsOf = (wallet: string): readonly Row[] => world.rows.get(`${chain} ${wallet}`) ?? [];
  const isOwnSwap = (row: Row, wallet: string): boolean => row.swappers.has(wallet);

  const resolve = (party: string, row: Row, hop: number): Shares => {
    const label = party === subject ? undefined : world.labels.get(`${chain} ${party}`);
    if (label) return new Map([[label.kind, 1]]);
    if (hop >= HOPS || isOpaque(party)) return NOBODY;
    const key = `${party} ${row.at} ${hop}`;
    const done = known.get(key) ?? (way === 'in' ? sourcesOf(party, row, hop) : targetsOf(party, row, hop));
    known.set(key, done);
    return done;
  };

  const isOpaque = (wallet: string): boolean => {
    const own = rowsOf(wallet).filter((row) => !isOwnSwap(row, wallet));
    const parties = new Set(own.map(({ from, to }) => (from === wallet ? to : from)));
    const payees = new Set(own.filter(({ from }) => from === wallet).map(({ to }) => to));
    return parties.size > PARTIES || (payees.size >= 3 && !world.senders.has(`${chain} ${wallet}`));
  };

  /** The wallet's holding when it made this payment. */
  const sourcesOf = (wallet: string, payment: Row, hop: number): Shares => {
    const held = new Map<string, { raw: number; price: number }>();
    let lots: Lot[] = [];
    for (const row of rowsOf(wallet)) {
      const asset = held.get(row.canonicalAsset) ?? { raw: 0, price: 0 };
      held.set(row.canonicalAsset, asset);
      asset.price = row.usd / row.raw;
      if (row.to === wallet) {
        asset.raw += row.raw;
        if (!isOwnSwap(row, wallet)) lots.push({ row, usd: row.usd });
        continue;
      }
      if (row === payment) return coverPayment(lots, Math.min(1, asset.raw / row.raw), hop);
      const worth = [...held.values()].reduce((sum, { raw, price }) => sum + raw * price, 0);
      asset.raw = Math.max(0, asset.raw - row.raw);
      if (!isOwnSwap(row, wallet)) lots = keepPart(lots, worth > 0 ? 1 - row.usd / worth : 0);
    }
    return NOBODY;
  };

  const coverPayment = (lots: readonly Lot[], covered: number, hop: number): Shares => {
    const total = lots.reduce((sum, { usd }) => sum + usd, 0);
    if (total <= 0) return NOBODY;
    return mix([
      ...lots.map((lot) => [resolve(lot.row.from, lot.row, hop + 1), (covered * lot.usd) / total] as const),
      [NOBODY, 1 - covered],
    ]);
  };

  /** The wallet's holding when this money arrived. */
  const targetsOf = (wallet: string, arrival: Row, hop: number): Shares => {
    const held = new Map<string, { raw: number; price: number }>();
    let tracked = 0;
    const parts: (readonly [Shares, number])[] = [];
    for (const row of rowsOf(wallet)) {
      const asset = held.get(row.canonicalAsset) ?? { raw: 0, price: 0 };
      held.set(row.canonicalAsset, asset);
      asset.price = row.usd / row.raw;
      if (row.to === wallet) {
        asset.raw += row.raw;
        if (row === arrival) tracked = 1;
        continue;
      }
      const worth = [...held.values()].reduce((sum, { raw, price }) => sum + raw * price, 0);
      asset.raw = Math.max(0, asset.raw - row.raw);
      if (isOwnSwap(row, wallet) || tracked < 1e-6) continue;
      const sent = tracked * (worth > 0 ? Math.min(1, row.usd / worth) : 1);
      parts.push([resolve(row.to, row, hop + 1), sent]);
      tracked -= sent;
    }
    return mix([...parts, [NOBODY, tracked]]);
  };

  const own = rowsOf(subject).filter(
    (row) => (way === 'in' ? row.to : row.from) === subject && !isOwnSwap(row, subject),
  );
  const total = own.reduce((sum, { usd }) => sum + usd, 0);
  if (total <= 0) return null;
  return mix(own.map((row) => [resolve(way === 'in' ? row.from : row.to, row, 1), row.usd / total] as const));
};

const keepPart = (lots: readonly Lot[], left: number): Lot[] =>
  left < 1e-9 ? [] : lots.map(({ row, usd }) => ({ row, usd: usd * left }));

const NOBODY: Shares = new Map([['unattributed', 1]]);

const mix = (parts: readonly (readonly [Shares, number])[]): Shares => {
  const mixed = new Map<LabelKind | 'unattributed', number>();
  for (const [shares, weight] of parts)
    for (const [kind, share] of shares) mixed.set(kind, (mixed.get(kind) ?? 0) + share * weight);
  return mixed;
};
