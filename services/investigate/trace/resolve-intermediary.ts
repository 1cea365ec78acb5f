import type { Address } from '../model/address.ts';
import { bothSides, NOBODY, type Service } from '../model/trace-reader.ts';
import type { QueryContext } from './query-context.ts';
import { readServices } from './read-services.ts';
import { POPULAR_ABOVE } from './rules.ts';
import { type IntermediaryKind, TraceRefusedError } from './trace-answer.ts';

/**
 * The service between the two sides. `depositAddress` is the counterparty when it is unlisted and only pays
 * the exchange behind it.
 */
export type Intermediary = {
  readonly entity: string;
  readonly kind: IntermediaryKind;
  readonly depositAddress: Address | null;
};

/** Maximum number of payees of a deposit address: the collecting wallets of one exchange. */
export const COLLECTORS_MAX = 5;

/**
 * The mixer or exchange that an address belongs to. An unlisted address counts as an exchange's deposit
 * address when all it ever paid are busy wallets of one exchange: the sweep, Victor 2020, "Address Clustering
 * Heuristics for Ethereum", applied to this one address. Throws `counterparty_not_traceable`.
 */
export const resolveIntermediary = async (
  counterparty: Address,
  context: QueryContext,
): Promise<Intermediary> => {
  const { reads, onChain } = context;
  const [service = null] = await reads.services(onChain, [counterparty]);
  if (service !== null) {
    return { entity: service.entity, kind: traceable(service), depositAddress: null };
  }
  const entity = await findExchangeBehind(counterparty, context);
  if (entity === null) throw notTraceable();
  return { entity, kind: 'exchange', depositAddress: counterparty };
};

const traceable = ({ kind }: Service): IntermediaryKind => {
  if (kind === 'mixer' || kind === 'exchange') return kind;
  throw notTraceable();
};

const notTraceable = (): TraceRefusedError =>
  new TraceRefusedError(
    'counterparty_not_traceable',
    'counterparty',
    'The counterparty is not a known mixer or exchange, so it cannot be traced through.',
  );

const findExchangeBehind = async (address: Address, context: QueryContext): Promise<string | null> => {
  const { reads, onChain, canonicalAssets } = context;
  const [around = []] = await reads.neighbours(
    {
      ...onChain,
      canonicalAssets,
      // Dust counts here, because a deposit address pays only its exchange.
      leastRaw: canonicalAssets.map(() => 1n),
      perSideMax: COLLECTORS_MAX + 1,
    },
    [{ wallet: address, direction: 'out' }],
  );
  const payees = around.map(({ counterparty }) => counterparty);
  if (payees.length === 0 || payees.length > COLLECTORS_MAX) return null;
  const known = await readServices(payees, context);
  const entities = new Set(payees.map((payee) => known.get(payee)?.entity));
  const [entity] = entities;
  if (entities.size !== 1 || entity === undefined) return null;
  if (payees.some((payee) => known.get(payee)?.kind !== 'exchange')) return null;
  const quiet = await findQuiet(payees, context);
  return payees.some((payee) => quiet.has(payee)) ? null : entity;
};

/** Those with few counterparties: of an exchange's addresses, the deposit addresses of its customers. */
export const findQuiet = async (
  addresses: readonly Address[],
  { reads, onChain, canonicalAssets, leastRaw }: QueryContext,
): Promise<ReadonlySet<Address>> => {
  const counts = await reads.counterpartyCounts(
    { ...onChain, canonicalAssets, leastRaw, othersMax: POPULAR_ABOVE },
    bothSides(addresses).map((side) => ({ ...side, among: NOBODY })),
  );
  const busy = new Set(
    counts.flatMap((count) => (count !== null && count.others > POPULAR_ABOVE ? [count.wallet] : [])),
  );
  return new Set(addresses.filter((address) => !busy.has(address)));
};
