import { toWholeUnits } from '../model/amount.ts';
import { type Asset, isListed } from '../model/asset.ts';
import type { AssetFacts } from '../model/describe-asset.ts';
import { NATIVE } from '../model/movement.ts';
import type { Moment, Price } from '../model/price-reader.ts';
import type { Entry } from '../model/profile-reader.ts';
import { HAND_OVER_KINDS } from '../model/transfer-reader.ts';
import type { Transfer } from './profile.ts';
import type { QueryContext } from './query-context.ts';
import { COIN_REACH_HOURS, PRICED_DAYS_MAX, PRICED_HOURS_MAX } from './rules.ts';

const HANDED_OVER: ReadonlySet<string> = new Set(HAND_OVER_KINDS);

const HOUR = 3_600;
const DAY = 24 * HOUR;

/** Facts about every asset in the wallet's rows. One query. */
export const readFacts = async (
  canonicalAssets: Iterable<Asset>,
  { chain, assets }: QueryContext,
): Promise<ReadonlyMap<Asset, AssetFacts>> => {
  const asked = [...new Set(canonicalAssets)];
  const facts = await assets.assets({ chain }, asked);
  return new Map(asked.flatMap((asset, index) => (facts[index] ? [[asset, facts[index]] as const] : [])));
};

/**
 * All transfers, oldest first, with their value at the time. Because anybody can create a token whose
 * contract logs fake transfers, an unlisted token counts only in transactions that the wallet itself sent.
 * One query.
 */
export const valueTransfers = async (
  entries: readonly Entry[],
  facts: ReadonlyMap<Asset, AssetFacts>,
  context: QueryContext,
): Promise<readonly Transfer[]> => {
  const { chain } = context;
  const handed = entries
    .flatMap((entry) => toHandOver(entry))
    .filter(
      ({ canonicalAsset, isSender }) =>
        chain.family === 'solana' || isSender || isListed(chain, canonicalAsset),
    )
    .toReversed();
  const priceOf = await readPrices(handed, context);
  return handed.map((transfer) => ({ ...transfer, usd: worthOf(transfer, priceOf(transfer), facts) }));
};

type HandOver = Omit<Transfer, 'usd'>;

const toHandOver = ({ counterparty, ...entry }: Entry): HandOver[] =>
  counterparty !== null && entry.amountRaw > 0n && HANDED_OVER.has(entry.kind)
    ? [{ ...entry, counterparty }]
    : [];

/** The dollar value of a movement; null when its price or decimals are unknown. */
export const worthOf = (
  { canonicalAsset, amountRaw }: Pick<HandOver, 'canonicalAsset' | 'amountRaw'>,
  price: Price | null,
  facts: ReadonlyMap<Asset, AssetFacts>,
): number | null => {
  const decimals = facts.get(canonicalAsset)?.decimals ?? null;
  return price === null || decimals === null ? null : toWholeUnits(amountRaw, decimals) * price.usd;
};

type PriceOf = (moment: Moved) => Price | null;

type Moved = { readonly canonicalAsset: Asset; readonly blockTime: number };

/**
 * Prices by the hour, or by the day for wallets with many hours, so that their number is bounded. Only for
 * listed assets: the creator of a token can trade it with himself at any price.
 */
export const readPrices = async (all: readonly Moved[], context: QueryContext): Promise<PriceOf> => {
  const { chain, prices } = context;
  const moved = all.filter(({ canonicalAsset }) => isListed(chain, canonicalAsset));
  const steps = new Set(
    moved.map(({ canonicalAsset, blockTime }) => `${canonicalAsset} ${Math.floor(blockTime / HOUR)}`),
  );
  const width = steps.size <= PRICED_HOURS_MAX ? HOUR : DAY;
  const keyOf = ({ canonicalAsset, blockTime }: Moved): string =>
    `${canonicalAsset} ${Math.floor(blockTime / width)}`;
  const moments = new Map<string, Moment>();
  for (const each of moved.toSorted((a, b) => rankOf(a.canonicalAsset) - rankOf(b.canonicalAsset))) {
    if (moments.size >= PRICED_DAYS_MAX) break;
    const middle = Math.floor(each.blockTime / width) * width + width / 2;
    moments.set(keyOf(each), { canonicalAsset: each.canonicalAsset, timeUnixSeconds: middle });
  }
  const asked = [...moments.values()];
  const found = await prices.prices({ chain }, asked);
  const far = await readFarPrices(
    asked.filter(({ canonicalAsset }, index) => canonicalAsset === NATIVE && !found[index]),
    context,
  );
  const byKey = new Map(
    [...moments].map(([key, moment], index) => [
      key,
      found[index] ?? far.get(moment.timeUnixSeconds) ?? null,
    ]),
  );
  return (moment) => byKey.get(keyOf(moment)) ?? null;
};

/** The coin's price where no market had one close by, by time. */
const readFarPrices = async (
  moments: readonly Moment[],
  { chain, prices }: QueryContext,
): Promise<ReadonlyMap<number, Price>> => {
  if (moments.length === 0) return new Map();
  const found = await prices.prices({ chain, reachHours: COIN_REACH_HOURS }, moments);
  return new Map(
    moments.flatMap(({ timeUnixSeconds }, index) => {
      const price = found[index];
      return price ? [[timeUnixSeconds, price] as const] : [];
    }),
  );
};

/** The coin comes first, so that the limit never cuts it off. */
const rankOf = (canonicalAsset: Asset): number => (canonicalAsset === NATIVE ? 0 : 1);
