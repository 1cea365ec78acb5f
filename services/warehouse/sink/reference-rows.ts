import type { PricesImported, ReferenceEvent } from '../../events/reference-events.ts';
import type { TableRows } from './table-sink.ts';

/** Described assets and imported prices as rows. */
export const referenceRows = (event: ReferenceEvent, sequence: number): TableRows => {
  if (event.type === 'AssetDescribed') {
    const { chain, asset, symbol, decimals } = event.description;
    const row = { chain, asset, symbol: symbol ?? '', decimals: decimals ?? -1, sequence };
    return { table: 'asset_claims', values: [row] };
  }
  if (event.type === 'PricesImported') {
    const { usd, ...prices } = event.prices;
    return priceRows(prices, (at) => ({ usd: usd[at], sequence, withdrawn: 0 }));
  }
  return priceRows(event.withdrawal, () => ({ usd: 0, sequence, withdrawn: 1 }));
};

type Prices = Omit<PricesImported, 'usd'>;

const priceRows = ({ chain, asset, source, time }: Prices, said: (at: number) => object): TableRows => ({
  table: 'imported_prices',
  values: time.map((seconds, index) => {
    const day = new Date(seconds * 1_000).toISOString().slice(0, 10);
    return { chain, asset, source, time: seconds, day, ...said(index) };
  }),
});
