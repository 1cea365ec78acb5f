import type { BlockTransaction, DecodedBlock } from '../investigate/model/block.ts';
import { type Movement, NATIVE, type Swap } from '../investigate/model/movement.ts';
import { type BulkNames, createBulkNames } from './bulk-addresses.ts';
import { drawControl } from './bulk-control.ts';
import { createRandom, hashLabel, type Random } from './random.ts';

export type BulkOptions = {
  readonly seed: number;
  /** Movements of kind `transfer` in all. */
  readonly transfers: number;
  readonly transfersPerBlock?: number;
  /** `solana`, or the name of an EVM chain. Default `solana`. */
  readonly chain?: string;
  /** Seconds from one block to the next; default 0.4 on Solana, 12 elsewhere. Times are whole seconds. */
  readonly blockSeconds?: number;
};

/** Shares of the busiest wallets among senders and receivers: 2–6 % each. */
const HOT_SENDER_SHARES = [0.06, 0.05, 0.04, 0.03, 0.025, 0.02];
const HOT_RECEIVER_SHARES = [0.03, 0.06, 0.02, 0.05, 0.02, 0.04];
const HOT_WALLETS = HOT_SENDER_SHARES.length;
/** The other wallets: rank = wallets × unit^SKEW, so that activity falls as rank^(1/SKEW − 1). */
const SKEW = 3;
const ASSETS = 64;
const FIRST_BLOCK = 250_000_000;
const FIRST_TIME_UNIX_SECONDS = 1_735_689_600;

/** The number of wallets in a run of this many transfers. */
const bulkWallets = (transfers: number): number => Math.max(HOT_WALLETS * 10, Math.ceil(transfers / 20));

/** The address at a rank of activity: 0–5 are the hot wallets, the last rank is hardly ever seen. */
export const bulkAddress = (options: BulkOptions, rank: number): string =>
  createBulkNames(options.chain ?? 'solana', options.seed).address(rank);

/** Assets by falling share: the native coin first, then tokens. */
const bulkAssets = (names: BulkNames): readonly string[] => {
  const assets = [NATIVE];
  for (let at = 1; at < ASSETS; at++) assets.push(names.address(4_000_000_000 + at));
  return assets;
};

const drawRank = (random: Random, shares: readonly number[], wallets: number): number => {
  let left = random.unit();
  for (let hot = 0; hot < HOT_WALLETS; hot++) {
    left -= shares[hot] ?? 0;
    if (left < 0) return hot;
  }
  const unit = random.unit();
  return HOT_WALLETS + Math.floor((wallets - HOT_WALLETS) * unit ** SKEW);
};

/** Log-uniform over six decades, every third one rounded to two digits as people do. */
const drawAmountRaw = (random: Random): bigint => {
  const digits = 4 + random.below(6);
  const amount = Math.floor(10 ** digits * (1 + 9 * random.unit()));
  if (random.below(3) > 0) return BigInt(amount);
  const step = 10 ** (digits - 1);
  return BigInt(Math.floor(amount / step) * step);
};

type Source = {
  readonly random: Random;
  readonly names: BulkNames;
  readonly assets: readonly string[];
  readonly wallets: number;
};

const drawMovement = (source: Source, txIndex: number, index: number, fromRank: number): Movement => {
  const { random, names, assets, wallets } = source;
  const toRank = drawRank(random, HOT_RECEIVER_SHARES, wallets);
  // A transfer to oneself would be one row on both sides, so the next wallet gets it.
  const otherRank = toRank === fromRank ? (toRank + 1) % wallets : toRank;
  const assetDraw = random.unit();
  const asset = assetDraw < 0.55 ? 0 : Math.floor(1 + (ASSETS - 1) * random.unit() ** SKEW);
  return {
    txIndex,
    index,
    kind: 'transfer',
    from: names.address(fromRank),
    to: names.address(otherRank),
    asset: assets[asset] ?? NATIVE,
    amountRaw: drawAmountRaw(random),
    authority: assetDraw > 0.98 ? names.address(HOT_WALLETS + random.below(1_000)) : null,
  };
};

const swapOf = (gave: Movement, got: Movement): Swap | null =>
  gave.from === null || gave.asset === got.asset || gave.txIndex === null
    ? null
    : {
        txIndex: gave.txIndex,
        index: 0,
        owner: gave.from,
        gaveAsset: gave.asset,
        gaveRaw: gave.amountRaw,
        gotAsset: got.asset,
        gotRaw: got.amountRaw,
        through: gave.to,
      };

type Rows = { transactions: BlockTransaction[]; movements: Movement[]; swaps: Swap[] };

/** One to four transfers a transaction, mostly one; one transaction in thirty is a swap there and back. */
const drawTransaction = (source: Source, rows: Rows, firstHash: number, room: number): void => {
  const { random, names, wallets } = source;
  const txIndex = rows.transactions.length;
  const fromRank = drawRank(random, HOT_SENDER_SHARES, wallets);
  const sender = names.address(fromRank);
  rows.transactions.push({ txIndex, hash: names.hash(firstHash + txIndex), sender });
  const first = drawMovement(source, txIndex, 0, fromRank);
  rows.movements.push(first);
  const draw = random.unit();
  if (room >= 2 && draw < 1 / 30) {
    const back = drawMovement(source, txIndex, 1, fromRank);
    const returned = { ...back, from: first.to, to: sender };
    rows.movements.push(returned);
    const swap = swapOf(first, returned);
    if (swap !== null) rows.swaps.push(swap);
    return;
  }
  const more = draw < 0.75 ? 0 : draw < 0.9 ? 1 : draw < 0.97 ? 2 : 3;
  for (let index = 1; index <= Math.min(more, room - 1); index++) {
    rows.movements.push(drawMovement(source, txIndex, index, fromRank));
  }
};

/**
 * Blocks of noise with power-law skew, generated without memory of earlier ones. Six hot wallets are 2–6 % of each
 * side; there is one other wallet for about twenty transfers. The same options give the same blocks. Yields
 * exactly `transfers` movements, fees not counted.
 */
export function* bulkBlocks(options: BulkOptions): Generator<DecodedBlock> {
  const { seed, transfers, transfersPerBlock = 500, chain = 'solana' } = options;
  const names = createBulkNames(chain, seed);
  const assets = bulkAssets(names);
  const blockSeconds = options.blockSeconds ?? (chain === 'solana' ? 0.4 : 12);
  const facts = assets.slice(1).map((asset) => ({ asset, decimals: 6 }));
  const source: Source = {
    random: createRandom(hashLabel(`bulk ${chain}`, seed)),
    names,
    assets,
    wallets: bulkWallets(transfers),
  };
  const controlRandom = createRandom(hashLabel(`bulk control ${chain}`, seed));
  // Block hashes start far above the transactions' numbers, so the two never collide.
  const blockHash = (ordinal: number): string => names.hash(3_000_000_000 + ordinal);
  for (let ordinal = 0; ordinal * transfersPerBlock < transfers; ordinal++) {
    const count = Math.min(transfersPerBlock, transfers - ordinal * transfersPerBlock);
    const rows: Rows = { transactions: [], movements: [], swaps: [] };
    while (rows.movements.length < count) {
      drawTransaction(source, rows, ordinal * transfersPerBlock, count - rows.movements.length);
    }
    yield {
      chain,
      number: FIRST_BLOCK + ordinal,
      hash: blockHash(ordinal),
      parentHash: ordinal === 0 ? blockHash(1_000_000_000) : blockHash(ordinal - 1),
      parentNumber: FIRST_BLOCK + ordinal - 1,
      timeUnixSeconds: FIRST_TIME_UNIX_SECONDS + Math.floor(ordinal * blockSeconds),
      transactions: rows.transactions,
      movements: rows.movements,
      swaps: rows.swaps,
      assets: facts,
      bridgeTransfers: [],
      controlEvents: drawControl(rows.transactions, { random: controlRandom, names }),
      controlCoverage: 'full',
      voteFeesRaw: 0n,
      problems: [],
      exempt: {},
    };
  }
}
