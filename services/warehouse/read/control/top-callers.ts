import type { Caller, TopCallers, TopCallersOf } from '../../../investigate/model/control-reader.ts';
import { type ReadLimits, transactionKey } from '../../../investigate/model/transfer-reader.ts';
import type { WarehouseClient } from '../../../platform/warehouse-engine/warehouse.ts';
import { VISIBLE_ROWS_OF_A_RANGE } from '../../sql-clauses.ts';
import { askTables } from '../ask-tables.ts';
import { eachPart, rowsOfEach } from '../each-part.ts';
import { toPosition } from '../transactions/places.ts';
import { readTransactionHashes } from '../transactions/transaction-hashes.ts';

/**
 * The newest counts, read from the end of one range of the key. Every row includes the total of all callers.
 */
const partOf = (place: number): string => `
SELECT party, sum(amount) AS calls, max((toUnixTimestamp(block_time), block_number, tx_index)),
  sum(sum(amount)) OVER (), sumIf(sum(amount), party = '') OVER (), min(min(toUnixTimestamp(block_time))) OVER (),
  sum(count()) OVER ()
FROM
(
  SELECT party, amount, block_time, block_number, tx_index FROM control_entries
  WHERE chain = {chain:String} AND address = {programs:Array(String)}[${place}] AND role = 'subject' AND kind = 'calls'
    AND ${VISIBLE_ROWS_OF_A_RANGE}
  ORDER BY block_time DESC, block_number DESC, tx_index DESC, index DESC
  LIMIT {rows:UInt32}
)
GROUP BY party
ORDER BY party = '', calls DESC, party
LIMIT {limit:UInt32}`;

type Row = readonly [
  party: string,
  calls: string,
  latest: readonly [time: number, block: string, tx: number],
  allCalls: string,
  unnamedCalls: string,
  since: number,
  rows: string,
];

const NOBODY: TopCallers = { callers: [], calls: 0n, unnamedCalls: 0n, sinceUnixSeconds: 0, isCut: false };

/** The most frequent callers of each program in its newest counts. One query, and one for the hashes. */
export const readTopCallers = async (
  client: WarehouseClient,
  { chain, rowsMax, limit }: TopCallersOf,
  programs: readonly string[],
  limits: ReadLimits,
): Promise<readonly TopCallers[]> => {
  const question = { query: eachPart(programs, partOf), params: { chain, programs, rows: rowsMax, limit } };
  const rows = await askTables<readonly [at: number, ...Row]>(client, question, limits);
  const each = rowsOfEach<Row>(programs, rows);
  const callers = each.flat().flatMap(toCaller);
  const positions = callers.map(({ latest }) => latest);
  // A transaction with a call paid a fee, so there is a movement with its hash.
  const hashes = await readTransactionHashes(client, { chain }, positions, limits);
  const hashOf = new Map(positions.map((position, at) => [transactionKey(position), hashes[at] ?? '']));
  return each.map((of) => {
    const [first] = of;
    if (first === undefined) return NOBODY;
    const [, , , calls, unnamedCalls, sinceUnixSeconds, counts] = first;
    return {
      callers: of
        .flatMap(toCaller)
        .map((caller) => ({ ...caller, signature: hashOf.get(transactionKey(caller.latest)) ?? '' })),
      calls: BigInt(calls),
      unnamedCalls: BigInt(unnamedCalls),
      sinceUnixSeconds,
      isCut: Number(counts) >= rowsMax,
    };
  });
};

const toCaller = ([caller, calls, [time, block, tx]]: Row): Omit<Caller, 'signature'>[] =>
  caller === '' ? [] : [{ caller, calls: BigInt(calls), latest: toPosition(time, block, tx) }];
