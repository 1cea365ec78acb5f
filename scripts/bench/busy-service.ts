import { type BulkOptions, bulkAddress } from '../../services/demo-world/bulk-transfers.ts';
import { openLabelEvents } from '../../services/events/label-events.ts';
import { findChain } from '../../services/investigate/model/chain.ts';
import type { TraceRequest } from '../../services/investigate/trace/trace-answer.ts';
import { buildLabel } from '../../services/testing/build-label.ts';
import { insertLabels } from '../../services/warehouse/labels/insert-labels.ts';
import { updateServiceWallets } from '../../services/warehouse/labels/update-service-wallets.ts';
import type { BenchStore } from './bench-store.ts';
import { UsageError } from './run-chosen.ts';

/**
 * The busiest wallets: six with 4 to 11 % of all transfers (this chain's exchanges), and the busiest other one,
 * which has a million entries at 100 M transfers.
 */
const SERVICES = 7;
/** The wallet whose number of entries is nearest to the requested one. */
const SERVICE_ROWS = 1_000_000;
/** Amounts worth tracing: smaller ones have thousands of others within a network fee. */
const AMOUNT_MIN_RAW = 1_000_000_000n;
const LAMPORTS = 1e9;

/** Before the transfers arrive, so that their entries are copied on insert. */
export const nameServices = async (
  { store, warehouse }: BenchStore,
  bulk: BulkOptions,
  kind: 'exchange' | 'mixer' = 'exchange',
): Promise<void> => {
  const labels = Array.from({ length: SERVICES }, (_, rank) =>
    buildLabel({ address: bulkAddress(bulk, rank), kind, entity: `${kind} ${rank}` }),
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

export const chooseService = async ({ warehouse }: BenchStore): Promise<Service> => {
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

export const chooseRequests = async (
  { warehouse }: BenchStore,
  { entity }: Service,
  { limit, windowSeconds }: { readonly limit: number; readonly windowSeconds: number | null },
): Promise<TraceRequest[]> => {
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
    query_params: { entity, least: String(AMOUNT_MIN_RAW), limit },
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
    windowSeconds,
    missing: [],
  }));
};
