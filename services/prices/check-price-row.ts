import { parseAddress } from '../investigate/model/address.ts';
import { type CanonicalAsset, toCanonicalAsset } from '../investigate/model/asset.ts';
import { CHAINS, type Chain, findChain } from '../investigate/model/chain.ts';
import { NATIVE } from '../investigate/model/movement.ts';
import { readTime } from '../platform/read-time.ts';

/** A row of a list, unparsed. */
export type PriceRow = {
  readonly where: string;
  readonly chain: string;
  readonly asset: string;
  readonly time: string;
  readonly usd: string;
};

/** Dollars for one whole unit at a time. */
export type CheckedPrice = {
  readonly chain: string;
  readonly asset: CanonicalAsset;
  readonly timeUnixSeconds: number;
  readonly usd: number;
};

export type PriceRefusal = {
  readonly where: string;
  readonly code: 'unreadable' | 'unknown_chain' | 'bad_asset' | 'bad_time' | 'bad_price';
  readonly reason: string;
};

type Checked = { readonly price: CheckedPrice } | { readonly refusal: PriceRefusal };

/** The first block of the first chain; no price is older. */
const FIRST_UNIX_SECONDS = Date.UTC(2009, 0, 3) / 1_000;
const DAY_SECONDS = 86_400;

/** Parses a row, or says why it is refused. */
export const checkPriceRow = (row: PriceRow, nowUnixSeconds: number): Checked => {
  const refused = (code: PriceRefusal['code'], reason: string): Checked => ({
    refusal: { where: row.where, code, reason },
  });
  const chain = findChain(row.chain.toLowerCase());
  if (chain === null)
    return refused(
      'unknown_chain',
      `chain "${row.chain}" is none of ${CHAINS.map(({ name }) => name).join(', ')}`,
    );
  const asset = readAsset(chain, row.asset);
  if (!asset.ok) return refused('bad_asset', `asset "${row.asset}" ${asset.message}`);
  const timeUnixSeconds = readTime(row.time);
  if (timeUnixSeconds === null)
    return refused(
      'bad_time',
      `time "${row.time}" is neither unix time nor a date as in 2024-05-01 or 2024-05-01T12:00:00Z`,
    );
  if (timeUnixSeconds < FIRST_UNIX_SECONDS || timeUnixSeconds > nowUnixSeconds + DAY_SECONDS)
    return refused('bad_time', `time "${row.time}" lies before 2009 or in the future`);
  const usd = /^\d+(\.\d*)?(e[+-]?\d+)?$/i.test(row.usd) ? Number(row.usd) : Number.NaN;
  if (!Number.isFinite(usd) || usd <= 0)
    return refused('bad_price', `price "${row.usd}" is not a number above 0`);
  return { price: { chain: chain.name, asset: asset.canonicalAsset, timeUnixSeconds, usd } };
};

type AssetResult =
  | { readonly ok: true; readonly canonicalAsset: CanonicalAsset }
  | { readonly ok: false; readonly message: string };

/** `native`, the coin's symbol, or an address; the wrapped coin counts as the coin. */
export const readAsset = (chain: Chain, text: string): AssetResult => {
  if ([NATIVE, chain.native.symbol.toLowerCase()].includes(text.toLowerCase()))
    return { ok: true, canonicalAsset: NATIVE };
  const parsed = parseAddress(chain, text);
  return parsed.ok ? { ok: true, canonicalAsset: toCanonicalAsset(chain, parsed.address) } : parsed;
};
