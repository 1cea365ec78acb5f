import { presentTrace } from '../../services/api/trace/presenter.ts';
import { openLabelEvents } from '../../services/events/label-events.ts';
import { findChain } from '../../services/investigate/model/chain.ts';
import { WINDOW_MAX_SECONDS } from '../../services/investigate/trace/rules.ts';
import { trace } from '../../services/investigate/trace/trace.ts';
import type { TraceRequest } from '../../services/investigate/trace/trace-answer.ts';
import { systemClock } from '../../services/platform/clock.ts';
import { buildLabel } from '../../services/testing/build-label.ts';
import { type BulkOptions, bulkAddress } from '../../services/testing/world/bulk-transfers.ts';
import type { HeldLabels } from '../../services/warehouse/labels/held-labels.ts';
import { insertLabels } from '../../services/warehouse/labels/insert-labels.ts';
import { updateServiceWallets } from '../../services/warehouse/labels/update-service-wallets.ts';
import { createPriceReader } from '../../services/warehouse/read/assets/price.ts';
import { createTraceReader } from '../../services/warehouse/read/create-trace-reader.ts';
import { type BenchStore, secondsOf, withHeldLabels, withStore } from './bench-store.ts';
import type { Bench, Figure } from './figure.ts';
import { fillTables } from './fill-tables.ts';
import { numberOptions } from './number-options.ts';
import { UsageError } from './run-chosen.ts';
import { type Measured, toFigures } from './trace-figures.ts';

const TRANSFERS = 10_000_000;
const SEED = 1;
const WARM_UP = 20;
const TRACES = 200;
const ASKED = ['account_entries', 'service_entries', 'transactions'];
/**
 * The busiest wallets: six with 4 to 11 % of all transfers, the exchanges of this chain, and the busiest of the others, which
 * has a million entries where there are 100 M transfers.
 */
const SERVICES = 7;
/** Entries of the service that is asked about, as nearly as one has them. */
const SERVICE_ROWS = 1_000_000;
/** Amounts that people trace: what moves less than this has thousands of others within a network fee. */
const AMOUNT_MIN_RAW = 1_000_000_000n;
const LAMPORTS = 1e9;

/** A week around transfers into a service, over tables of that many transfers, each beside a `SELECT 1`. */
const run = async (argv: readonly string[]): Promise<Figure[]> => {
  const bulk: BulkOptions = {
    seed: SEED,
    chain: 'solana',
    ...numberOptions(argv, { transfers: [TRANSFERS] }),
  };
  return withStore(async (bench) => {
    await nameServices(bench, bulk);
    await fillTables(bench, { bulk, asked: ASKED });
    const service = await chooseService(bench);
    const requests = await chooseRequests(bench, service);
    return toFigures(await withHeldLabels(bench, (held) => measure(bench, requests, held)), {
      ...bulk,
      ...service,
    });
  });
};

/** Before the transfers come, so that their entries are copied as they are. */
const nameServices = async ({ store, warehouse }: BenchStore, bulk: BulkOptions): Promise<void> => {
  const labels = Array.from({ length: SERVICES }, (_, rank) =>
    buildLabel({ address: bulkAddress(bulk, rank), kind: 'exchange', entity: `exchange ${rank}` }),
  );
  const events = labels.map((label, sequence) => ({
    sequence,
    event: { type: 'LabelAsserted' as const, label },
  }));
  const { assert } = await openLabelEvents(store.registry);
  await store.log.append(labels.map((label) => assert(label)));
  await insertLabels(warehouse.writer, events);
  const touched = labels.map(({ chain, address }, sequence) => ({ chain, address, sequence }));
  await updateServiceWallets(warehouse.writer, touched);
};

type Service = { readonly entity: string; readonly rows: number };

const chooseService = async ({ warehouse }: BenchStore): Promise<Service> => {
  const answer = await warehouse.writer.query({
    query: `SELECT entity, toUInt32(count()) AS rows FROM service_entries GROUP BY entity
      ORDER BY abs(rows - {rows:Int64}) LIMIT 1`,
    query_params: { rows: SERVICE_ROWS },
    format: 'JSONEachRow',
  });
  const [service] = await answer.json<Service>();
  if (!service) throw new UsageError('--transfers: among so few no service was paid');
  return service;
};

type Deposit = { wallet: string; service: string; hash: string; amount: string; time: number };

const chooseRequests = async ({ warehouse }: BenchStore, { entity }: Service): Promise<TraceRequest[]> => {
  const answer = await warehouse.writer.query({
    query: `SELECT t.from_address AS wallet, t.to_address AS service, t.tx_hash AS hash, toString(t.amount) AS amount,
        toUnixTimestamp(t.block_time) AS time
      FROM transfers AS t
      WHERE (t.block_number, t.tx_index, t.index) IN
      (
        SELECT block_number, tx_index, index FROM service_entries
        WHERE entity = {entity:String} AND direction = 'in' AND asset_family = 'native' AND amount >= {least:UInt256}
        ORDER BY cityHash64(block_number, tx_index) LIMIT {limit:UInt32}
      )
      ORDER BY cityHash64(hash)`,
    query_params: { entity, least: String(AMOUNT_MIN_RAW), limit: TRACES + WARM_UP },
    format: 'JSONEachRow',
  });
  const chain = findChain('solana');
  if (chain === null) throw new Error('the chain of the benchmark is not known');
  return (await answer.json<Deposit>()).map(({ wallet, service, hash, amount, time }) => ({
    chain,
    wallet,
    counterparty: service,
    signature: hash,
    direction: 'out',
    timeUnixSeconds: time,
    coin: Number(amount) / LAMPORTS,
    usd: 0,
    windowSeconds: WINDOW_MAX_SECONDS,
    missing: [],
  }));
};

const measure = async (
  { warehouse }: BenchStore,
  requests: readonly TraceRequest[],
  held: HeldLabels,
): Promise<Measured> => {
  const reader = createTraceReader(warehouse.reader, systemClock, held);
  const prices = createPriceReader(warehouse.reader);
  const measured: Measured = { tracesMs: [], selectsMs: [], fits: [] };
  for (const [at, request] of requests.entries()) {
    const selectMs = await timeMs(async () => {
      const answer = await warehouse.reader.query({ query: 'SELECT 1', format: 'JSONCompact' });
      await answer.json();
    });
    const traceMs = await timeMs(async () => {
      const found = await trace(request, { reader, prices, signal: AbortSignal.timeout(60_000) });
      measured.fits.push(presentTrace(found, { gap: null }).anonymity_set);
    });
    if (at < WARM_UP) continue;
    measured.selectsMs.push(selectMs);
    measured.tracesMs.push(traceMs);
  }
  return measured;
};

const timeMs = async (action: () => Promise<void>): Promise<number> => 1_000 * (await secondsOf(action));

export const bench: Bench = { name: 'trace', run };
