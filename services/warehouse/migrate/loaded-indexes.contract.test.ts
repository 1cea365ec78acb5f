import { expect, onTestFinished, test } from 'vitest';
import { createBlockEncoder } from '../../events/encode-block.ts';
import { splitRecord } from '../../platform/avro/wire-format.ts';
import { startEmbeddedWarehouse } from '../../platform/warehouse-engine/embedded/start-embedded-warehouse.ts';
import { blockOf } from '../../testing/sink-stage.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import { insertBlockTransfers } from '../sink/insert-block-transfers.ts';
import { migrate } from './migrate.ts';

const ASKED = ['account_entries', 'blocks', 'transactions', 'transfers'];

test('the keys of what trails ask are in memory before the first question after a start', async () => {
  const options = { folder: temporaryFolder(), database: 'spoor' };
  const filled = await startEmbeddedWarehouse(options);
  await migrate(filled);
  const [value = Buffer.alloc(0)] = createBlockEncoder(1)(blockOf(1));
  const records = [{ sequence: 1, avro: splitRecord(value).body }];
  await insertBlockTransfers(filled, { records, token: 'a' });
  await filled.close();
  const started = await startEmbeddedWarehouse(options);
  onTestFinished(() => started.close());
  const answer = await started.writer.query({
    query: `SELECT table, min(primary_key_bytes_in_memory) > 0 FROM system.parts
      WHERE active AND table IN {tables:Array(String)} GROUP BY table ORDER BY table`,
    query_params: { tables: ASKED },
    format: 'JSONCompactEachRow',
  });
  expect(await answer.json<[string, number]>()).toEqual(ASKED.map((table) => [table, 1]));
});
