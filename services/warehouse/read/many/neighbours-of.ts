import type { Many } from '../../../investigate/model/many-reader.ts';
import {
  type Direction,
  type Neighbour,
  type NeighboursRequest,
  ROWS_PER_COUNTERPARTY,
  type WalletSide,
} from '../../../investigate/model/trace-reader.ts';
import type { ReadLimits } from '../../../investigate/model/transfer-reader.ts';
import type { WarehouseClient } from '../../../platform/warehouse-engine/warehouse.ts';
import { askTables } from '../ask-tables.ts';
import { endsOf, IS_CUT, readNeighbours } from '../counterparties/neighbours.ts';
import { KEYS_AT_ENDS } from '../counterparties/partly-read.ts';
import { answerGroups } from './group-requests.ts';

type Request = Many<NeighboursRequest>[number];

/** A side is a few ranges of the key. */
const SIDES_MAX = 512;
/** The ends of a quiet side contain all of it. */
const WHOLE = { byEnds: true };

const BUSY = `
SELECT address, direction
FROM (
  SELECT address, direction, asset_family, _part, count() AS entries, ${IS_CUT} AS is_cut
  FROM ${KEYS_AT_ENDS}
  GROUP BY address, direction, asset_family, _part
)
GROUP BY address, direction
HAVING max(is_cut) OR sum(entries) >= {rows:UInt32}`;

type Row = readonly [wallet: string, direction: Direction];

/**
 * Counterparties of many wallets. Two queries read wallets with at most some thousand transfers whole. Larger
 * ones are read one by one from the beginning, as `readNeighbours` does for one wallet.
 */
export const readNeighboursOf = (
  client: WarehouseClient,
  requests: Many<NeighboursRequest>,
  limits: ReadLimits,
): Promise<readonly (readonly Neighbour[])[]> =>
  answerGroups(
    requests,
    ({ chain, canonicalAssets, leastRaw, perSideMax }) => [
      chain,
      canonicalAssets,
      leastRaw.map(String),
      perSideMax,
    ],
    async (group) => {
      const [first] = group;
      if (first === undefined) return [];
      const sides = [
        ...new Map(group.flatMap((one) => one.sides).map((side) => [keyOf(side), side])).values(),
      ];
      const known = new Map<string, Neighbour[]>();
      const busy = new Set<string>();
      for (let index = 0; index < sides.length; index += SIDES_MAX) {
        const chunk = sides.slice(index, index + SIDES_MAX);
        const request = { ...first, ...limits, sides: chunk };
        for (const side of await findBusy(client, request)) busy.add(keyOf(side));
        const quiet = chunk.filter((side) => !busy.has(keyOf(side)));
        for (const neighbour of await readNeighbours(client, { ...request, sides: quiet }, WHOLE)) {
          const of = known.get(keyOf(neighbour));
          if (of === undefined) known.set(keyOf(neighbour), [neighbour]);
          else of.push(neighbour);
        }
      }
      const answers: (readonly Neighbour[])[] = [];
      for (const request of group)
        answers.push(
          request.sides.some((side) => busy.has(keyOf(side)))
            ? await readNeighbours(client, { ...request, ...limits })
            : request.sides.flatMap((side) => known.get(keyOf(side)) ?? []),
        );
      return answers;
    },
  );

const keyOf = ({ wallet, direction }: WalletSide): string => `${direction} ${wallet}`;

/**
 * Sides that the ends of their ranges do not contain whole, or with so many entries that the read stops
 * early.
 */
const findBusy = async (
  client: WarehouseClient,
  { chain, sides, canonicalAssets, perSideMax, ...limits }: Request & ReadLimits,
): Promise<readonly WalletSide[]> => {
  const params = { chain, ...endsOf(sides, canonicalAssets), rows: perSideMax * ROWS_PER_COUNTERPARTY };
  const rows = await askTables<Row>(client, { query: BUSY, params }, limits);
  return rows.map(([wallet, direction]) => ({ wallet, direction }));
};
