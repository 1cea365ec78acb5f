import type { Address } from '../../model/address.ts';
import type { TraceReads } from '../reading/trace-kinds.ts';

/** The labels and prices that an answer rests on, besides transfers. Each at most `NOTED_MAX`. */
export type Basis = {
  /** For a service without a label, the name of the service. */
  readonly labels: ReadonlyMap<Address, { readonly kind: string; readonly name: string }>;
  /** Dollars by `<asset> <unix seconds>`; null when no price was known. */
  readonly prices: ReadonlyMap<string, number | null>;
};

const NOTED_MAX = 1_000;

/** Notes the labels, services and prices that one trace is told. */
export const noteBasis = (): { readonly basis: Basis; readonly note: (reads: TraceReads) => TraceReads } => {
  const labels = new Map<Address, { kind: string; name: string }>();
  const worth = new Map<string, number | null>();
  const note = <Value>(map: Map<string, Value>, key: string, value: Value): void => {
    if (map.size < NOTED_MAX) map.set(key, value);
  };
  const noting = ({ reader, prices }: TraceReads): TraceReads => ({
    reader: {
      ...reader,
      labels: async (request) => {
        const known = await reader.labels(request);
        for (const [address, { kind, name }] of known) note(labels, address, { kind, name });
        return known;
      },
      services: async (request) => {
        const known = await reader.services(request);
        for (const [address, { kind, entity }] of known)
          if (!labels.has(address)) note(labels, address, { kind, name: entity });
        return known;
      },
    },
    prices: {
      prices: async (request) => {
        const known = await prices.prices(request);
        for (const [index, { canonicalAsset, timeUnixSeconds }] of request.moments.entries())
          note(worth, `${canonicalAsset} ${timeUnixSeconds}`, known[index]?.usd ?? null);
        return known;
      },
    },
  });
  return { basis: { labels, prices: worth }, note: noting };
};
