import { randomUUID } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import type { DecodedBlock } from '../../investigate/model/block.ts';
import type { EventLog } from '../../platform/event-log/event-log.ts';
import { applyTopics } from '../../platform/event-log/kafka/apply-topics.ts';
import { openKafkaLog } from '../../platform/event-log/kafka/open-kafka-log.ts';
import { TOPICS } from '../../platform/event-log/topics.ts';
import { createLogger } from '../../platform/logger.ts';
import { describeOnEngines } from '../../testing/engines/describe-on-engines.ts';
import { PATIENCE } from '../../testing/patience.ts';
import { range } from '../../testing/sink-stage.ts';
import { TableStage } from '../../testing/table-stage.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import { readLag } from '../../warehouse/sink/lag.ts';
import { openStore } from '../store/open-store.ts';
import { SINK_GROUP, startSink, TRANSFER_TOPICS } from './start-sink.ts';

const PARTITION = { topic: 'transfers.history', partition: 0, key: 'k' };

/** Of more parts than one batch of a broker takes, so that an append goes out in several. */
const inParts = (block: DecodedBlock): DecodedBlock => ({
  ...block,
  movements: block.movements.map((m) => ({ ...m, authority: 'a'.repeat(300_000) })),
});

describeOnEngines('two processes that ingest the same blocks on a broker', ({ brokers }) => {
  const tables = new TableStage();

  test('leave each of them in the tables once, and no dead letter', async () => {
    const address = { brokers: [brokers], prefix: `${randomUUID()}.`, topics: TOPICS };
    await applyTopics(address);
    const open = async () => {
      const log = await openKafkaLog({ ...address, maxQueuedBytes: 32 << 20, maxRecordBytes: 1 << 20 });
      onTestFinished(() => log.close());
      return log;
    };
    const [one, two] = [await open(), await open()];
    const store = await openStore({ dataFolder: temporaryFolder(), name: 'chain', maxQueuedBytes: 1 << 20 });
    onTestFinished(() => store.close());
    const blocks = range(1, 12).map(inParts);
    const parts = blocks.map((block) => store.encodeBlock(block).length);
    expect(Math.min(...parts)).toBeGreaterThan(1);

    const ingest = async (log: EventLog): Promise<void> => {
      for (const block of blocks)
        await log.append(store.encodeBlock(block).map((value) => ({ ...PARTITION, value })));
    };
    await Promise.all([ingest(one), ingest(two)]);
    const deadLetters: unknown[] = [];
    const running = startSink({
      ...{ store: { ...store, log: { ...one, waitsForSchema: () => false } }, warehouse: tables.warehouse },
      batchBytesMax: 4 << 20,
      logger: createLogger({ level: 'silent' }),
      events: { deadLetter: (letter) => void deadLetters.push(letter) },
    });
    await expect.poll(() => readLag(one, SINK_GROUP, TRANSFER_TOPICS), PATIENCE).toBe(0);
    await running.stop();
    expect(deadLetters).toEqual([]);
    expect(await tables.ask('SELECT number, count() FROM blocks GROUP BY number ORDER BY number')).toEqual(
      blocks.map(({ number }, i) => [String(number), String(parts[i])]),
    );
  });
});
