import type { Address } from '../model/address.ts';
import { toWholeUnits } from '../model/amount.ts';
import { isStablecoin, knownDecimals } from '../model/asset.ts';
import type { Chain } from '../model/chain.ts';
import { type Label, passingKind } from '../model/label.ts';
import { NATIVE } from '../model/movement.ts';
import type { Direction } from '../model/trace-reader.ts';
import { transactionKey } from '../model/transfer-reader.ts';
import type { Connection, TraceableTransfer, Transfer } from './profile.ts';
import { CONNECTION_TRANSFERS_MAX, CONNECTIONS_MAX } from './rules.ts';
import { largestOf, sumSide } from './sum-sides.ts';

const DIRECTIONS = ['in', 'out'] as const satisfies Direction[];

/** Whether /trace can cross this service. */
export const isTraceable = (label: Label | null): boolean => {
  const kind = label && passingKind(label);
  return kind === 'mixer' || kind === 'exchange';
};

/**
 * The largest counterparties by dollars in both directions, labelled ones first. For a mixer or exchange also
 * the transfers that /trace accepts.
 */
export const findConnections = (
  transfers: readonly Transfer[],
  labels: ReadonlyMap<Address, Label>,
  chain: Chain,
): readonly Connection[] =>
  [...Map.groupBy(transfers, ({ counterparty }) => counterparty)]
    .map(([address, of]) => {
      const [paidIn, paidOut] = DIRECTIONS.map((way) => of.filter(({ direction }) => direction === way));
      const sides = { in: sumSide(paidIn ?? []), out: sumSide(paidOut ?? []) };
      return { address, label: labels.get(address) ?? null, ...sides, of };
    })
    .toSorted(
      (a, b) =>
        Number(b.label !== null) - Number(a.label !== null) ||
        dollarsOf(b) - dollarsOf(a) ||
        b.of.length - a.of.length ||
        (a.address < b.address ? -1 : 1),
    )
    .slice(0, CONNECTIONS_MAX)
    .map(({ of, ...connection }) => ({
      ...connection,
      transfers: isTraceable(connection.label) ? findTraceable(of, chain) : [],
    }));

const dollarsOf = ({ in: paidIn, out }: Pick<Connection, 'in' | 'out'>): number =>
  (paidIn.usd ?? 0) + (out.usd ?? 0);

/** Groups by transaction and direction, because /trace reads a transaction as a whole. The largest first. */
const findTraceable = (transfers: readonly Transfer[], chain: Chain): readonly TraceableTransfer[] => {
  const told = transfers.filter(
    ({ canonicalAsset }) => canonicalAsset === NATIVE || isStablecoin(chain, canonicalAsset),
  );
  return [...Map.groupBy(told, (each) => `${transactionKey(each)} ${each.direction}`).values()]
    .flatMap((of): TraceableTransfer[] => {
      const largest = largestOf(of);
      if (largest === null) return [];
      const { blockTime, blockNumber, txIndex, direction, counterparty } = largest;
      const coins = of.filter(({ canonicalAsset }) => canonicalAsset === NATIVE);
      return [
        {
          blockTime,
          blockNumber,
          txIndex,
          direction,
          counterparty,
          largest,
          coin: sumUnits(coins, chain),
          usd: sumUnits(
            of.filter((each) => !coins.includes(each)),
            chain,
          ),
        },
      ];
    })
    .toSorted((a, b) => (b.largest.usd ?? 0) - (a.largest.usd ?? 0) || b.blockTime - a.blockTime)
    .slice(0, CONNECTION_TRANSFERS_MAX);
};

const sumUnits = (transfers: readonly Transfer[], chain: Chain): number =>
  transfers.reduce(
    (sum, { canonicalAsset, amountRaw }) =>
      sum + toWholeUnits(amountRaw, knownDecimals(chain, canonicalAsset)),
    0,
  );
