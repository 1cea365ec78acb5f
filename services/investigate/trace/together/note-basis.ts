import type { Address } from '../../model/address.ts';
import type { TraceReads } from '../query-context.ts';

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
  const noting = (reads: TraceReads): TraceReads => ({
    ...reads,
    labels: async (common, addresses) => {
      const known = await reads.labels(common, addresses);
      for (const [at, label] of known.entries())
        if (label !== null) note(labels, addresses[at] ?? '', { kind: label.kind, name: label.name });
      return known;
    },
    services: async (common, addresses) => {
      const known = await reads.services(common, addresses);
      for (const [at, service] of known.entries()) {
        const address = addresses[at] ?? '';
        if (service !== null && !labels.has(address))
          note(labels, address, { kind: service.kind, name: service.entity });
      }
      return known;
    },
    prices: async (common, moments) => {
      const known = await reads.prices(common, moments);
      for (const [at, { canonicalAsset, timeUnixSeconds }] of moments.entries())
        note(worth, `${canonicalAsset} ${timeUnixSeconds}`, known[at]?.usd ?? null);
      return known;
    },
  });
  return { basis: { labels, prices: worth }, note: noting };
};
