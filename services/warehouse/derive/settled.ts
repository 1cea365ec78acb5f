import { FINAL_SLOTS, SEQUENCE_SLOTS } from '../../events/event-sequence.ts';
import { askRows } from '../../platform/warehouse-engine/ask-rows.ts';
import type { WarehouseClient } from '../../platform/warehouse-engine/warehouse.ts';
import { VISIBLE_ROWS } from '../sql-clauses.ts';

/**
 * All events of one log partition. Their sequences have the same remainder (events/event-sequence.ts), and
 * only within a lane does a larger sequence mean a later event.
 */
export type Lane = {
  readonly lane: number;
  /** The first sequence that may be missing from the tables. Everything below it is in every table. */
  readonly end: number;
};

/** How far below its chain's newest block a block counts as settled, that is, is not retracted any more. */
export type SettledDepth = (chain: string) => number;

/**
 * The range that may be derived from: each chain's newest settled block, and for each lane the first
 * unsettled event.
 */
export type Settled = {
  readonly heights: ReadonlyMap<string, number>;
  readonly lanes: readonly Lane[];
};

/**
 * The events of a lane from a sequence (inclusive) to another (exclusive) that are new to some derivation.
 */
export type LaneRange = Lane & { readonly begin: number };

/** Parameters of `NEW_EVENTS`. */
export const rangeParams = (ranges: readonly LaneRange[]) => ({
  lanes: ranges.map(({ lane }) => lane),
  begins: ranges.map(({ begin }) => begin),
  ends: ranges.map(({ end }) => end),
});

/**
 * Rows of whole blocks up to the newest settled one, for a table whose number column is `block_number`. A
 * transaction without its block is new to no run, so facts from it would differ after a rebuild.
 */
export const SETTLED_ROWS = `${VISIBLE_ROWS}
  AND block_number <= transform(toString(chain), {chains:Array(String)}, {heights:Array(UInt64)}, 0)
  AND sequence NOT IN (SELECT sequence FROM single_transactions)`;

/** `(chain, now)`: the time of each chain's newest settled block, in unix seconds. */
export const SETTLED_TIMES = `
  SELECT chain, toUnixTimestamp(max(time)) AS now FROM blocks
  WHERE ${VISIBLE_ROWS} AND number <= transform(toString(chain), {chains:Array(String)}, {heights:Array(UInt64)}, 0)
  GROUP BY chain`;

/** Sequences from the derivation's progress (inclusive) to the settled end of the lane (exclusive). */
export const NEW_EVENTS = `
  sequence >= transform(sequence % ${SEQUENCE_SLOTS}, {lanes:Array(UInt64)}, {begins:Array(UInt64)}, 0)
  AND sequence < transform(sequence % ${SEQUENCE_SLOTS}, {lanes:Array(UInt64)}, {ends:Array(UInt64)}, 0)`;

/** Consecutive blocks, so that a slice is read in ranges of the key. */
const BLOCKS_TOGETHER = 64;

/** Whether a block number belongs to a statement's slice of the new events: `deriveInSlices`. */
const inSlice = (number: string): string =>
  `intDiv(${number}, ${BLOCKS_TOGETHER}) % {slices:UInt32} = {slice:UInt32}`;

/** Whole blocks that are new to a derivation: `(chain, number)`. */
export const NEW_BLOCKS = `SELECT chain, number FROM blocks WHERE ${VISIBLE_ROWS} AND ${NEW_EVENTS} AND ${inSlice('number')}`;

/**
 * Rows of whole blocks that are new to a derivation; `transfers` is read by its key. The number alone does
 * not identify them: an abandoned block has the number of its replacement, and a transaction without its
 * block that of a later one.
 */
export const NEW_ROWS = `(chain, block_number) IN (
    ${NEW_BLOCKS})
  AND ${NEW_EVENTS} AND ${VISIBLE_ROWS}`;

// Below a final block all are final. So are blocks of ranges and files, whose lanes never wait for another
// chain.
const HEIGHTS = `
SELECT chain, max(number), maxIf(number, sequence % ${SEQUENCE_SLOTS} IN (${[...FINAL_SLOTS].join()}))
FROM blocks WHERE ${VISIBLE_ROWS} GROUP BY chain`;

const UNSETTLED = `
SELECT sequence % ${SEQUENCE_SLOTS} AS lane, min(sequence) FROM blocks
WHERE ${VISIBLE_ROWS} AND number > transform(toString(chain), {chains:Array(String)}, {heights:Array(UInt64)}, 0)
GROUP BY lane`;

const END = `transform(sequence % ${SEQUENCE_SLOTS}, {lanes:Array(UInt64)}, {ends:Array(UInt64)}, 0)`;

/** By lane, the begin of the first block that the lane's end would cut in two. */
const CUT = `
SELECT lane, min(first) FROM
(
  SELECT sequence % ${SEQUENCE_SLOTS} AS lane, min(sequence) AS first, countIf(sequence < ${END}) AS before, count() AS found
  FROM blocks
  WHERE ${VISIBLE_ROWS} AND parts > 1 AND (chain, number) IN (
    SELECT chain, number FROM blocks
    WHERE parts > 1 AND sequence >= ${END} AND sequence % ${SEQUENCE_SLOTS} IN {lanes:Array(UInt64)})
  GROUP BY lane, chain, number, hash
)
WHERE before > 0 AND before < found
GROUP BY lane`;

type FirstOfLane = readonly [lane: string | number, first: string];

/** Queries over `blocks`, usually three. `lanes` has the sink's progress. */
export const readSettled = async (
  client: WarehouseClient,
  { lanes, depth }: { lanes: readonly Lane[]; depth: SettledDepth },
): Promise<Settled> => {
  const heights = new Map(
    (await askRows<[string, string, string]>(client, HEIGHTS)).map(
      ([chain, number, final]) => [chain, Math.max(Number(final), Number(number) - depth(chain))] as const,
    ),
  );
  const params = { chains: [...heights.keys()], heights: [...heights.values()] };
  const unsettled = await askRows<FirstOfLane>(client, UNSETTLED, params);
  return { heights, lanes: await cutBetweenBlocks(client, lower(lanes, unsettled)) };
};

const lower = (lanes: readonly Lane[], firsts: readonly FirstOfLane[]): readonly Lane[] => {
  const ends = new Map(firsts.map(([lane, first]) => [Number(lane), Number(first)]));
  return lanes.map(({ lane, end }) => ({ lane, end: Math.min(end, ends.get(lane) ?? end) }));
};

/**
 * Parts of different blocks may be interleaved. A derivation that stopped between two parts would later take
 * the rest for a replacement block, and delete the facts of the first part.
 */
const cutBetweenBlocks = async (
  client: WarehouseClient,
  lanes: readonly Lane[],
): Promise<readonly Lane[]> => {
  const params = { lanes: lanes.map(({ lane }) => lane), ends: lanes.map(({ end }) => end) };
  const cut = await askRows<FirstOfLane>(client, CUT, params);
  return cut.length === 0 ? lanes : cutBetweenBlocks(client, lower(lanes, cut));
};
