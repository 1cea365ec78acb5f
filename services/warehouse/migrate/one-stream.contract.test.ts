import { expect, onTestFinished, test } from 'vitest';
import { createBlockEncoder } from '../../events/encode-block.ts';
import { splitRecord } from '../../platform/avro/wire-format.ts';
import { startEmbeddedWarehouse } from '../../platform/warehouse-engine/embedded/start-embedded-warehouse.ts';
import { blockOf } from '../../testing/sink-stage.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import { insertBlockTransfers } from '../sink/insert-block-transfers.ts';
import { migrate } from './migrate.ts';

const WITH_TEXTS = ['account_entries', 'blocks', 'transfers'];

test('no text of the tables that blocks fill has a second stream for its lengths', async () => {
  const warehouse = await startEmbeddedWarehouse({ folder: temporaryFolder(), database: 'spoor' });
  onTestFinished(() => warehouse.close());
  await migrate(warehouse);
  const [value = Buffer.alloc(0)] = createBlockEncoder(1)(blockOf(1));
  const records = [{ sequence: 1, avro: splitRecord(value).body }];
  await insertBlockTransfers(warehouse.writer, { records, token: 'a' });
  const answer = await warehouse.writer.query({
    query: `SELECT table, groupUniqArray(arrayExists(name -> name LIKE '%.size', substreams)) FROM system.parts_columns
      WHERE active AND table IN {tables:Array(String)} AND type = 'String' GROUP BY table ORDER BY table`,
    query_params: { tables: WITH_TEXTS },
    format: 'JSONCompactEachRow',
  });
  expect(await answer.json<[string, number[]]>()).toEqual(WITH_TEXTS.map((table) => [table, [0]]));
});
