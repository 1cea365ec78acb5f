import { setTimeout as sleep } from 'node:timers/promises';
import { type BulkOptions, bulkAddress, bulkBlocks } from '../../services/demo-world/bulk-transfers.ts';
import { SEQUENCE_SLOTS } from '../../services/events/event-sequence.ts';
import type { DecodedBlock } from '../../services/investigate/model/block.ts';
import { KNOWN_ASSETS } from '../../services/investigate/model/known-assets.ts';
import { NATIVE } from '../../services/investigate/model/movement.ts';
import { splitRecord } from '../../services/platform/avro/wire-format.ts';
import { buildBlock, type TransactionPlan } from '../../services/testing/build-block.ts';
import { buildLabel } from '../../services/testing/build-label.ts';
import { DERIVATIONS, deriveFacts } from '../../services/warehouse/derive/derive-facts.ts';
import { insertLabels } from '../../services/warehouse/labels/insert-labels.ts';
import { updateServiceWallets } from '../../services/warehouse/labels/update-service-wallets.ts';
import {
  insertBlockTransfers,
  type SequencedRecord,
} from '../../services/warehouse/sink/insert-block-transfers.ts';
import { type BenchStore, say, secondsOf, withStore } from './bench-store.ts';
import { type Bench, type Figure, toFigure } from './figure.ts';
import { numberOptions } from './number-options.ts';

const TRANSFERS = 10_000_000;
/** The hundredth of fewer may be no block at all. */
const TRANSFERS_MIN = 100_000;
const BATCH_ROWS = 200_000;
const SEED = 1;
/** The last part is derived alone, as in a service that keeps up. */
const INCREMENT_SHARE = 0.01;
const HOT_WALLETS = 6;
/** One in a hundred blocks pays into one deposit address and sweeps another; each has a trade. */
const DEPOSIT_ADDRESSES_PER_BLOCKS = 1 / 20;
const SOL = 1_000_000_000n;

const USDC = KNOWN_ASSETS.find(({ chain, symbol }) => chain === 'solana' && symbol === 'USDC')?.asset ?? '';

type Filled = { readonly rows: number; readonly end: number };

/** Every derived table from nothing, then the newest hundredth. */
const run = async (argv: readonly string[]): Promise<Figure[]> => {
  const sized = numberOptions(argv, { transfers: [TRANSFERS, TRANSFERS_MIN] });
  const bulk: BulkOptions = { seed: SEED, chain: 'solana', ...sized };
  return withStore(async (bench) => {
    const filling = fill(bench, bulk);
    await nameExchange(bench, bulk);
    const first = await filling.next();
    const all = await timed(bench, first.value);
    const second = await filling.next();
    const more = await timed(bench, second.value);
    return toFigures(first.value, all, more);
  });
};

type Timed = { readonly seconds: number; readonly parts: Readonly<Record<string, number>> };

const timed = async ({ warehouse }: BenchStore, { rows, end }: Filled): Promise<Timed> => {
  await untilMerged(warehouse);
  const parts: Record<string, number> = {};
  const request = {
    lanes: [{ lane: 0, end }],
    depth: () => 0,
    signal: new AbortController().signal,
    onDone: ({ derivation, durationSeconds }: { derivation: string; durationSeconds: number }): void => {
      parts[derivation] = Number(durationSeconds.toPrecision(3));
    },
  };
  const seconds = await secondsOf(() => deriveFacts(warehouse.writer, request));
  // A derivation that did nothing must not meet the goal.
  if (Object.keys(parts).length < DERIVATIONS.length) throw new Error(`at ${rows} rows nothing was derived`);
  say(`derived at ${rows} rows in ${seconds.toFixed(1)} s: ${JSON.stringify(parts)}`);
  return { seconds, parts };
};

/** Merges of the filled-in rows would be measured as well. */
const untilMerged = async ({ writer }: BenchStore['warehouse']): Promise<void> => {
  for (;;) {
    const answer = await writer.query({
      query: 'SELECT count() FROM system.merges',
      format: 'JSONCompactEachRow',
    });
    const [row] = await answer.json<[string]>();
    if (row?.[0] === '0') return;
    await sleep(200);
  }
};

const toFigures = ({ rows }: Filled, all: Timed, more: Timed): Figure[] => {
  const subject = `${rows} transfers`;
  const perSecond = toFigure(
    // A hundred million in a quarter of an hour.
    { name: 'derive.transfers_per_s', unit: '1/s', subject, atLeast: 111_000 },
    [rows / all.seconds],
  );
  const increment = toFigure(
    { name: 'derive.increment_over_all', unit: 'share of the time for everything', subject, atMost: 0.1 },
    [more.seconds / all.seconds],
  );
  return [
    { ...perSecond, details: all.parts },
    { ...increment, details: more.parts },
  ];
};

/** Writes straight into the tables; yields before the last part and at the end. */
async function* fill({ store, warehouse }: BenchStore, bulk: BulkOptions): AsyncGenerator<Filled, never> {
  let records: SequencedRecord[] = [];
  let waiting = 0;
  let rows = 0;
  let sequence = 0;
  const insert = async (): Promise<void> => {
    await insertBlockTransfers(warehouse, { records, token: `bench-${sequence}` });
    [records, waiting] = [[], 0];
  };
  const increment = bulk.transfers * (1 - INCREMENT_SHARE);
  for (const block of bulkBlocks(bulk)) {
    const before = rows;
    const whole = withCustomers(block, bulk);
    for (const record of store.encodeBlock(whole))
      records.push({ sequence: sequence++ * SEQUENCE_SLOTS, avro: splitRecord(record).body });
    rows += block.movements.length;
    waiting += block.movements.length;
    const isBoundary = before < increment && rows >= increment;
    if (waiting >= BATCH_ROWS || isBoundary) await insert();
    if (isBoundary) yield { rows, end: sequence * SEQUENCE_SLOTS };
  }
  await insert();
  for (;;) yield { rows, end: sequence * SEQUENCE_SLOTS };
}

/** A block of noise with a payment into a deposit address, a sweep of another, and a trade. */
const withCustomers = (block: DecodedBlock, bulk: BulkOptions): DecodedBlock => {
  const ordinal = block.number % 1_000_000_007;
  const boxes = Math.ceil((bulk.transfers / 500) * DEPOSIT_ADDRESSES_PER_BLOCKS);
  const box = (at: number): string => bulkAddress(bulk, 2_000_000_000 + (at % boxes));
  const customer = bulkAddress(bulk, HOT_WALLETS + (ordinal % 1_000));
  const pool = bulkAddress(bulk, 2_500_000_000);
  const paid = (from: string, to: string): TransactionPlan => ({
    hash: `${block.hash}-${from}`,
    sender: from,
    movements: [{ from, to, amountRaw: 5n * SOL }],
  });
  const usdc = 500_000_000n + BigInt(ordinal % 1_000);
  const trade: TransactionPlan = {
    hash: `${block.hash}-trade`,
    sender: customer,
    movements: [
      { from: customer, to: pool, asset: USDC, amountRaw: usdc },
      { from: pool, to: customer, amountRaw: 4n * SOL },
    ],
    swaps: [
      { owner: customer, gaveAsset: USDC, gaveRaw: usdc, gotAsset: NATIVE, gotRaw: 4n * SOL, through: pool },
    ],
  };
  const more = buildBlock({
    chain: block.chain,
    number: block.number,
    timeUnixSeconds: block.timeUnixSeconds,
    transactions: [
      paid(customer, box(ordinal)),
      paid(box(ordinal - 1), bulkAddress(bulk, ordinal % 2)),
      trade,
    ],
  });
  const first = block.transactions.length;
  const moved = <T extends { txIndex: number | null }>(rows: readonly T[]): T[] =>
    rows.map((row) => ({ ...row, txIndex: (row.txIndex ?? 0) + first }));
  return {
    ...block,
    transactions: [...block.transactions, ...moved(more.transactions)],
    movements: [...block.movements, ...moved(more.movements)],
    swaps: [...block.swaps, ...moved(more.swaps)],
  };
};

/** The six busiest wallets belong to one exchange, with a fifth of all transfers. */
const nameExchange = async ({ warehouse: { writer } }: BenchStore, bulk: BulkOptions): Promise<void> => {
  const addresses = Array.from({ length: HOT_WALLETS }, (_, rank) => bulkAddress(bulk, rank));
  const events = addresses.map((address, sequence) => ({
    sequence,
    event: {
      type: 'LabelAsserted' as const,
      label: buildLabel({ address, kind: 'exchange', entity: 'alder', name: `alder ${sequence}` }),
    },
  }));
  await insertLabels(writer, events);
  await updateServiceWallets(
    writer,
    addresses.map((address, sequence) => ({ chain: 'solana', address, sequence })),
  );
};

export const bench: Bench = { name: 'derive', run };
