import { createHash } from 'node:crypto';
import { systemClock } from '../../platform/clock.ts';
import { askRows } from '../../platform/warehouse-engine/ask-rows.ts';
import type { WarehouseClient } from '../../platform/warehouse-engine/warehouse.ts';
import { createContiguousRange } from '../read/blocks/contiguous-range.ts';
import { depositAddresses } from './deposit-addresses.ts';
import { countNewEvents, type Derivation, type NewEvents, type RangeParams, truncate } from './derivation.ts';
import { firstFunders } from './first-funders.ts';
import { noteIndexedSpans, type ReadSpan } from './indexed-spans.ts';
import { lookalikes } from './lookalikes.ts';
import { marketTrades } from './market-trades.ts';
import { prices } from './prices.ts';
import { type Lane, rangeParams, readSettled, type Settled, type SettledDepth } from './settled.ts';
import { tokenFirsts } from './token-firsts.ts';

/** In order: prices depend on trades. */
export const DERIVATIONS: readonly Derivation[] = [
  depositAddresses,
  firstFunders,
  tokenFirsts,
  lookalikes,
  marketTrades,
  prices,
];

const SLICE_ROWS = 20_000_000;

export type DeriveRequest = {
  readonly lanes: readonly Lane[];
  readonly depth: SettledDepth;
  readonly signal: AbortSignal;
  /**
   * Approximate maximum of movements for one statement. It takes thirty seconds; the engine allows five
   * minutes.
   */
  readonly sliceRows?: number;
  /** Given by who derives again and again: it remembers the blocks that it looked through. */
  readonly readSpan?: ReadSpan;
  /** Called for every derivation that starts over because its other inputs changed. */
  readonly onRestart?: (restarted: { derivation: string }) => void;
  /** Called for every derivation that had something to do. */
  readonly onDone?: (done: { derivation: string; durationSeconds: number }) => void;
};

/**
 * Brings every derived table up to the settled blocks. After an interruption, the next run repeats everything
 * that was not recorded as done. Throws the engine's error, or the signal's reason.
 */
export const deriveFacts = async (
  client: WarehouseClient,
  request: DeriveRequest,
  derivations: readonly Derivation[] = DERIVATIONS,
): Promise<void> => {
  const { signal, onDone } = request;
  const settled = await readSettled(client, request);
  // Mostly the same is new to all of them, and is counted once.
  const counts = new Map<string, Promise<NewEvents>>();
  const countOnce = (params: RangeParams): Promise<NewEvents> => {
    const key = JSON.stringify(params);
    const count = counts.get(key) ?? countNewEvents(client, params);
    counts.set(key, count);
    return count;
  };
  for (const derivation of derivations) {
    signal.throwIfAborted();
    const beganMs = performance.now();
    const hadWork = await bringUp(client, derivation, settled, request, countOnce);
    const durationSeconds = (performance.now() - beganMs) / 1_000;
    if (hadWork) onDone?.({ derivation: derivation.name, durationSeconds });
  }
  const { readSpan = createContiguousRange(client, systemClock) } = request;
  await noteIndexedSpans(client, { chains: [...settled.heights.keys()], readSpan, signal });
};

const NOTE = `
INSERT INTO derivations (derivation, lane, next, inputs)
SELECT {name:String}, reached.1, reached.2, {inputs:UInt64}
FROM (SELECT arrayJoin(arrayZip({lanes:Array(UInt16)}, {ends:Array(UInt64)})) AS reached)`;

const bringUp = async (
  client: WarehouseClient,
  derivation: Derivation,
  { heights, lanes }: Settled,
  { signal, onRestart, sliceRows = SLICE_ROWS }: DeriveRequest,
  countOnce: (params: RangeParams) => Promise<NewEvents>,
): Promise<boolean> => {
  const inputs = hashInputs(derivation, await derivation.inputs?.(client));
  const { begins, hasOthers } = await readProgress(client, derivation.name, inputs);
  const ranges = lanes.map((each) => ({ ...each, begin: begins.get(each.lane) ?? 0 }));
  if (ranges.every(({ begin, end }) => begin >= end)) return false;
  const params = {
    chains: [...heights.keys()],
    heights: [...heights.values()],
    ...rangeParams(ranges),
  };
  const note = (ends: readonly number[]) =>
    client.command({
      query: NOTE,
      query_params: { name: derivation.name, inputs, lanes: params.lanes, ends },
    });
  const isFirst = [...begins.values()].every((next) => next === 0);
  if (isFirst) {
    if (hasOthers) onRestart?.({ derivation: derivation.name });
    // Clears the progress first: if this run is interrupted and rolled back to the earlier version, that
    // version must not trust these rows.
    await note(ranges.map(() => 0));
    for (const table of derivation.tables) await truncate(client, table);
  }
  await derivation.run({ client, params, signal, isFirst, sliceRows, newEvents: await countOnce(params) });
  await note(params.ends);
  return true;
};

/** A 64-bit number, as the table of progress stores it. */
const hashInputs = ({ rules }: Derivation, others = ''): string =>
  createHash('sha256')
    .update(JSON.stringify([rules, others]))
    .digest()
    .readBigUInt64LE()
    .toString();

/** The first new event for it, by lane. `hasOthers`: its recorded progress used other inputs. */
const readProgress = async (
  client: WarehouseClient,
  name: string,
  inputs: string,
): Promise<{ begins: Map<number, number>; hasOthers: boolean }> => {
  const query = 'SELECT lane, next, inputs FROM derivations FINAL WHERE derivation = {name:String}';
  const rows = await askRows<[lane: number, next: string, inputs: string]>(client, query, { name });
  const own = rows.filter((row) => row[2] === inputs);
  return {
    begins: new Map(own.map(([lane, next]) => [lane, Number(next)])),
    hasOthers: own.length < rows.length,
  };
};
