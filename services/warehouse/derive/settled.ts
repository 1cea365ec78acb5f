import { FINAL_SLOTS, SEQUENCE_SLOTS } from '../../events/event-sequence.ts';
import { askRows } from '../../platform/warehouse-engine/ask-rows.ts';
import type { WarehouseClient } from '../../platform/warehouse-engine/warehouse.ts';
import { VISIBLE_ROWS } from '../sql-clauses.ts';

/**
 * All events of one partition of the log: their sequences have the same remainder (events/event-sequence.ts), and only
 * among them does a larger sequence mean a later event.
 */
export type Lane = {
  readonly lane: number;
  /** The first sequence that is not in the tables for certain; everything below it is there, in every table. */
  readonly end: number;
};

/** How deep below its chain's newest block a block counts as settled: by then it is not taken back. */
export type SettledDepth = (chain: string) => number;

/**
 * The range that may be derived from: the newest settled block of each chain, and where each lane holds the first
 * that is not settled.
 */
export type Settled = {
  readonly heights: ReadonlyMap<string, number>;
  readonly lanes: readonly Lane[];
};

/** The events of a lane from a sequence on (inclusive) until before another: those that are new to somebody. */
export type LaneRange = Lane & { readonly begin: number };

/** Parameters of `NEW_EVENTS`. */
export const rangeParams = (ranges: readonly LaneRange[]) => ({
  lanes: ranges.map(({ lane }) => lane),
  begins: ranges.map(({ begin }) => begin),
  ends: ranges.map(({ end }) => end),
});

/**
 * Rows of whole blocks up to the newest settled one, of a table that calls the number `block_number`: what came without its
 * block is new to no run, so that what is judged by it would be judged otherwise after a rebuild.
 */
export const SETTLED_ROWS = `${VISIBLE_ROWS}
  AND block_number <= transform(toString(chain), {chains:Array(String)}, {heights:Array(UInt64)}, 0)
  AND sequence NOT IN (SELECT sequence FROM single_transactions)`;

/** `(chain, now)`: when the newest settled block of each chain was made, in unix seconds. */
export const SETTLED_TIMES = `
  SELECT chain, toUnixTimestamp(max(time)) AS now FROM blocks
  WHERE ${VISIBLE_ROWS} AND number <= transform(toString(chain), {chains:Array(String)}, {heights:Array(UInt64)}, 0)
  GROUP BY chain`;

/** Sequences from where the derivation has come to (inclusive) to where its lane is settled (exclusive). */
export const NEW_EVENTS = `
  sequence >= transform(sequence % ${SEQUENCE_SLOTS}, {lanes:Array(UInt64)}, {begins:Array(UInt64)}, 0)
  AND sequence < transform(sequence % ${SEQUENCE_SLOTS}, {lanes:Array(UInt64)}, {ends:Array(UInt64)}, 0)`;

/** Blocks side by side, so that a slice is read in stretches of the key. */
const BLOCKS_TOGETHER = 64;

/** Whether a number of a block belongs to the slice of the new events that a statement is about: `deriveInSlices`. */
const inSlice = (number: string): string =>
  `intDiv(${number}, ${BLOCKS_TOGETHER}) % {slices:UInt32} = {slice:UInt32}`;

/** Whole blocks that a derivation has not seen: `(chain, number)`. */
export const NEW_BLOCKS = `SELECT chain, number FROM blocks WHERE ${VISIBLE_ROWS} AND ${NEW_EVENTS} AND ${inSlice('number')}`;

/**
 * Rows of whole blocks that a derivation has not seen; `transfers` is read by the blocks through its key. An abandoned block has the
 * number of the one that took its place, and a transaction that came without its block has that of one still to come:
 * neither is told by the number alone.
 */
export const NEW_ROWS = `(chain, block_number) IN (
    ${NEW_BLOCKS})
  AND ${NEW_EVENTS} AND ${VISIBLE_ROWS}`;

// Below a final block all are final: so are those of ranges and files, and no lane of theirs ever waits for another chain.
const HEIGHTS = `
SELECT chain, max(number), maxIf(number, sequence % ${SEQUENCE_SLOTS} IN (${[...FINAL_SLOTS].join()}))
FROM blocks WHERE ${VISIBLE_ROWS} GROUP BY chain`;

const UNSETTLED = `
SELECT sequence % ${SEQUENCE_SLOTS} AS lane, min(sequence) FROM blocks
WHERE ${VISIBLE_ROWS} AND number > transform(toString(chain), {chains:Array(String)}, {heights:Array(UInt64)}, 0)
GROUP BY lane`;

const END = `transform(sequence % ${SEQUENCE_SLOTS}, {lanes:Array(UInt64)}, {ends:Array(UInt64)}, 0)`;

/** Where the first of those blocks begins that a lane's end cuts in two, by lane. */
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

/** Queries over `blocks`, mostly three. `lanes` says what the sink has finished. */
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
 * Parts of other blocks may stand between those of one. A derivation that ended there would take its other half for another block in
 * its place the next time, and delete what the first half gave.
 */
const cutBetweenBlocks = async (
  client: WarehouseClient,
  lanes: readonly Lane[],
): Promise<readonly Lane[]> => {
  const params = { lanes: lanes.map(({ lane }) => lane), ends: lanes.map(({ end }) => end) };
  const cut = await askRows<FirstOfLane>(client, CUT, params);
  return cut.length === 0 ? lanes : cutBetweenBlocks(client, lower(lanes, cut));
};
