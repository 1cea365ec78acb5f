import type {
  FlowPage,
  FlowPlace,
  FlowsOf,
  ReadLimits,
  TransferReader,
} from '../investigate/model/transfer-reader.ts';

/** A page of one side of one wallet. */
export type PageRequest = Omit<FlowsOf, 'side'> & FlowPlace & ReadLimits;
export type AskPage = (request: PageRequest) => Promise<FlowPage>;

/** The reader's pages, wallet by wallet. */
export const pagesOf =
  (reader: TransferReader, side: FlowsOf['side'] = 'departures'): AskPage =>
  async ({ wallet, from, signal, timeoutMs, ...common }) => {
    const pages = await reader.flows({ ...common, side }, [{ wallet, from }], { signal, timeoutMs });
    return pages[0] as FlowPage;
  };

/** The reader, but that outflows are answered by `departures`, wallet by wallet. */
export const withDepartures = (reader: TransferReader, departures: AskPage): TransferReader => ({
  ...reader,
  flows: (common, places, limits) => {
    if (common.side === 'arrivals') return reader.flows(common, places, limits);
    const { side: _, ...asked } = common;
    return Promise.all(places.map((place) => departures({ ...asked, ...place, ...limits })));
  },
});
