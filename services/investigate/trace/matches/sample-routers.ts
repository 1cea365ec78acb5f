import type { Address } from '../../model/address.ts';
import { sumOf } from '../../model/amount.ts';
import type { Direction, Neighbour } from '../../model/trace-reader.ts';
import { type TransactionRow, transactionKey } from '../../model/transfer-reader.ts';
import { isMostOf } from '../link-legs.ts';
import type { QueryContext } from '../query-context.ts';
import { readRows } from '../read-rows.ts';
import { SEARCHED_MAX } from '../rules.ts';

/**
 * Counterparties of a wallet whose first transfer with it is examined. One of them may have paid in and
 * withdrawn at once.
 */
const SAMPLES_MAX = 5;

type Sampling = {
  readonly entity: string;
  /** As seen from the wallets: `out` when they paid in. */
  readonly side: Direction;
  /** Wallets of the service for which it is already known whether they are routers. */
  readonly known: ReadonlySet<Address>;
};

/**
 * Which of a service's wallets among the neighbours are routers. A mixer may have several routers, and some
 * brought none of the matches. Decides from the first transfers with each, and queries only when one is
 * unknown. A wallet's only note makes no profile and is skipped.
 */
export const sampleRouters = async (
  neighbours: readonly Neighbour[],
  { entity, side, known }: Sampling,
  context: QueryContext,
): Promise<ReadonlySet<Address>> => {
  const { reads, onChain, canonicalAssets } = context;
  const [wallets] = await reads.serviceWallets({ ...onChain, limit: SEARCHED_MAX }, [entity]);
  const isOwn = new Set(wallets?.addresses);
  const used = neighbours.filter(
    ({ direction, counterparty }) => direction === side && isOwn.has(counterparty),
  );
  const unknown = [...Map.groupBy(used, ({ wallet }) => wallet).values()]
    .filter((of) => of.reduce((sum, { transfers }) => sum + transfers, 0) > 1)
    .flatMap((of) => of.filter(({ counterparty }) => !known.has(counterparty)));
  const samples = [...Map.groupBy(unknown, ({ counterparty }) => counterparty)].map(
    ([wallet, of]) => [wallet, of.slice(0, SAMPLES_MAX)] as const,
  );
  const firsts = samples.flatMap(([, of]) => of.map(({ first }) => first));
  const { rows } = await readRows(firsts, canonicalAssets, context);
  const byPlace = Map.groupBy(rows, transactionKey);
  const handsOn = (wallet: Address, of: readonly Neighbour[]): boolean => {
    const times = of.filter(({ first }) =>
      isHandedOn(wallet, byPlace.get(transactionKey(first)) ?? [], { side, isOwn }),
    );
    return times.length * 2 > of.length;
  };
  return new Set(samples.filter(([wallet, of]) => handsOn(wallet, of)).map(([wallet]) => wallet));
};

type RouterSample = { readonly side: Direction; readonly isOwn: ReadonlySet<Address> };

/**
 * Whether most of what the wallet received there from outside went to another wallet of the service, or the
 * reverse.
 */
const isHandedOn = (
  wallet: Address,
  rows: readonly TransactionRow[],
  { side, isOwn }: RouterSample,
): boolean =>
  [...Map.groupBy(rows, ({ canonicalAsset }) => canonicalAsset).values()].some((legs) => {
    const [got, gave] = [legs.filter(({ to }) => to === wallet), legs.filter(({ from }) => from === wallet)];
    const [outer, inner] =
      side === 'out'
        ? [got, gave.filter(({ to }) => isOwn.has(to))]
        : [gave, got.filter(({ from }) => isOwn.has(from))];
    return outer.length > 0 && isMostOf(sumOf(inner), sumOf(outer));
  });
