import { expect, test } from 'vitest';
import { createMetrics, type Metrics } from './create-metrics.ts';

const linesOf = async (metrics: Metrics): Promise<string[]> =>
  (await metrics.expose()).text.split('\n').filter((line) => line.startsWith('spoor_'));

test('what happened is exposed in the Prometheus text format', async () => {
  const metrics = createMetrics();
  metrics.observeRequest({ method: 'POST', route: '/follow', status: 200, durationSeconds: 0.2 });
  metrics.blockIngested({ chain: 'solana', movements: 7 });
  metrics.blockIngested({ chain: 'solana', movements: 3 });
  metrics.chainAt({ chain: 'solana', head: 105, indexed: 100 });
  metrics.batchInserted({ topic: 'transfers.head', records: 4, bytes: 900, durationSeconds: 0.3 });
  metrics.watchSinkLag(async () => 12);
  metrics.deadLetter({ topic: 'transfers.head' });
  metrics.retried('insert');
  metrics.questionAsked({ outcome: 'answered', durationSeconds: 0.02 });
  metrics.reservationEnded('insufficient_credits');
  metrics.settlementEnded('settled');
  metrics.watchWaits(() => ['warehouse']);
  metrics.watchParts(async () => new Map([['transfers', 3]]));
  metrics.watchNewestBlocks(async () => [{ chain: 'base', finality: 'latest', timeUnixSeconds: 1_700 }]);
  metrics.derived({ derivation: 'coin-prices', durationSeconds: 0.7 });
  expect((await metrics.expose()).contentType).toContain('text/plain');
  expect(await linesOf(metrics)).toEqual(
    expect.arrayContaining([
      'spoor_http_request_duration_seconds_count{method="POST",route="/follow",status="200"} 1',
      'spoor_blocks_ingested_total{chain="solana"} 2',
      'spoor_movements_ingested_total{chain="solana"} 10',
      'spoor_chain_head_block{chain="solana"} 105',
      'spoor_chain_indexed_block{chain="solana"} 100',
      'spoor_sink_records_total{topic="transfers.head"} 4',
      'spoor_sink_bytes_total{topic="transfers.head"} 900',
      'spoor_sink_insert_duration_seconds_sum{topic="transfers.head"} 0.3',
      'spoor_sink_lag_records 12',
      'spoor_waiting_for{part="warehouse"} 1',
      'spoor_dead_letters_total{topic="transfers.head"} 1',
      'spoor_retries_total{what="insert"} 1',
      'spoor_query_duration_seconds_sum{outcome="answered"} 0.02',
      'spoor_reservations_total{outcome="insufficient_credits"} 1',
      'spoor_settlements_total{outcome="settled"} 1',
      'spoor_table_parts{table="transfers"} 3',
      'spoor_chain_newest_block_timestamp_seconds{chain="base",finality="latest"} 1700',
      'spoor_derivation_duration_seconds_sum{derivation="coin-prices"} 0.7',
    ]),
  );
});

test('the event log is asked for its bytes at each scrape', async () => {
  const metrics = createMetrics();
  let queuedBytes = 5;
  metrics.watchLog(() => ({ queuedBytes, walBytes: 6, fileBytes: 7 }));
  expect(await linesOf(metrics)).toContain('spoor_log_bytes{place="queue"} 5');
  queuedBytes = 9;
  expect(await linesOf(metrics)).toContain('spoor_log_bytes{place="queue"} 9');
});

test('how far the tables are behind the log is not said while nobody can tell', async () => {
  const metrics = createMetrics();
  const lag = async () =>
    (await linesOf(metrics)).filter((line) => line.startsWith('spoor_sink_lag_records'));
  expect(await lag()).toEqual([]);
  metrics.watchSinkLag(async () => 3);
  expect(await lag()).toEqual(['spoor_sink_lag_records 3']);
  metrics.watchSinkLag(() => Promise.reject(new Error('the log is away')));
  expect(await lag()).toEqual([]);
});

test('two sets of metrics do not share numbers', async () => {
  const [left, right] = [createMetrics(), createMetrics()];
  left.retried('insert');
  expect(await linesOf(right)).not.toContain('spoor_retries_total{what="insert"} 1');
});

test('the process itself is measured, too', async () => {
  expect((await createMetrics().expose()).text).toContain('process_resident_memory_bytes');
});
