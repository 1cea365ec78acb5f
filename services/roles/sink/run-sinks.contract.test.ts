import { expect, test } from 'vitest';
import { Books } from '../../credits/books.ts';
import { openLedgerCodec } from '../../credits/ledger-codec.ts';
import { openHistoryEvents } from '../../events/history-events.ts';
import { openReferenceEvents } from '../../events/reference-events.ts';
import { loadConfig } from '../../platform/config/config.ts';
import type { AppendRecord } from '../../platform/event-log/event-log.ts';
import { createLogger } from '../../platform/logger.ts';
import { PATIENCE } from '../../testing/patience.ts';
import { blockOf, SinkStage } from '../../testing/sink-stage.ts';
import { createMetrics } from '../create-metrics.ts';
import { runSinks } from './run-sinks.ts';

const stage = new SinkStage({ ownEngine: true });

const ledgerEvent = async (): Promise<AppendRecord[]> => {
  const codec = await openLedgerCodec(stage.store.registry);
  const entries = new Books().handle('account:a', { type: 'AddCredits', id: 'pack', credits: 5 }, 1_000);
  return entries.map((entry) => ({
    topic: 'ledger.events',
    key: entry.payer,
    value: codec.encodeEntry(entry),
  }));
};
const description = async (): Promise<AppendRecord[]> => {
  const references = await openReferenceEvents(stage.store.registry);
  return [references.describe({ chain: 'solana', asset: 'token', symbol: 'TKN', decimals: 6 })];
};
const listing = async (): Promise<AppendRecord[]> => {
  const histories = await openHistoryEvents(stage.store.registry);
  const window = {
    ...{ chain: 'solana', address: 'w', kinds: ['sent' as const], asset: null, first: 1, last: 2 },
    ...{ lastUnixSeconds: null, source: 'solana-node', proof: 'listed' as const, reason: null },
    ...{ transactions: 0, readAtUnixSeconds: 1 },
  };
  return [histories.listed(window)];
};
const block = (): AppendRecord[] =>
  stage.encoded(blockOf(1)).map((value) => ({ topic: 'transfers.history', key: 'solana', value }));

test.each<[table: string, events: () => AppendRecord[] | Promise<AppendRecord[]>]>([
  ['blocks', block],
  // The service brings its own.
  ['labels', () => []],
  ['asset_claims', description],
  ['listed_windows', listing],
  ['ledger_entries', ledgerEvent],
])('while the table %s alone cannot be filled, that is said, and no longer', async (table, events) => {
  const { store, warehouse } = stage;
  const rename = (query: string) => warehouse.writer.command({ query: `RENAME TABLE ${query}` });
  await store.log.append(await events());
  await rename(`${table} TO away`);
  const closings: (() => Promise<void>)[] = [];
  const service = {
    ...{ config: loadConfig({}), logger: createLogger({ level: 'silent' }), metrics: createMetrics() },
    closing: (_name: string, _order: number, close: () => Promise<void>) => void closings.push(close),
    fail: (error: unknown) => {
      throw error;
    },
  };
  const sinks = await runSinks(service, store, warehouse);
  try {
    await expect.poll(sinks.isRefused, PATIENCE).toBe(true);
    await rename(`away TO ${table}`);
    await expect.poll(sinks.isRefused, PATIENCE).toBe(false);
  } finally {
    await Promise.all(closings.map((close) => close()));
  }
});
