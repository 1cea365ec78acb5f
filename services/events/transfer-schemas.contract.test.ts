import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { fingerprintRecords } from '../platform/avro/fingerprint-records.ts';
import { openLocalRegistry } from '../platform/avro/local-registry.ts';
import { loadVersions } from '../platform/avro/schemas.ts';
import { HEADER_BYTES, writeHeader } from '../platform/avro/wire-format.ts';
import { openEmbeddedLog } from '../platform/event-log/embedded/open-embedded-log.ts';
import type { EventLog } from '../platform/event-log/event-log.ts';
import { blockParts } from '../testing/block-parts.ts';
import { buildBlock } from '../testing/build-block.ts';
import { temporaryFolder } from '../testing/temporary-folder.ts';
import { createEventReader } from './read-event.ts';
import { registerTransferSchemas } from './transfer-schemas.ts';

const T = { topic: 't', partition: 0 };
const MAX = 1 << 20;
const WRITTEN = ['BlockTransfers', 'TransactionTransfers'].flatMap((name) =>
  loadVersions(name).map((schema, i) => ({ name, version: i + 1, schema })),
);
const transactions = [{ hash: 'h', sender: 's', movements: [{ from: 'a', to: 'b', amountRaw: 3n }] }];
const [part = {}] = blockParts(buildBlock({ chain: 'base', number: 5, timeUnixSeconds: 1, transactions }));

test.each(WRITTEN)(
  'version $version of $name is read after the registry forgot, by a process that never wrote it',
  async ({ schema }) => {
    const folder = temporaryFolder();
    const log: EventLog = await openEmbeddedLog({
      folder,
      topics: [{ name: T.topic, partitions: 1, retentionMs: -1 }],
      maxQueuedBytes: MAX,
      maxRecordBytes: MAX,
    });
    onTestFinished(() => log.close());
    const file = join(folder, 'registry.json');
    const openProcess = () => fingerprintRecords(log, openLocalRegistry(file), () => {});
    const writer = openProcess();
    const value = Buffer.concat([Buffer.alloc(HEADER_BYTES), schema.type.toBuffer(part)]);
    writeHeader(value, await writer.registry.register(schema));
    await writer.log.append([{ ...T, key: 'k', value }]);
    const reader = openProcess();
    await registerTransferSchemas(reader.registry);
    rmSync(file);
    const consumer = await reader.log.consume({ group: 'g', topics: [T.topic] });
    const batch = await consumer.poll({ maxBytes: MAX, waitMs: 1 });
    const event = await createEventReader(reader.registry)(batch?.records[0]?.value ?? Buffer.alloc(0));
    expect(event).toMatchObject({ body: expect.any(Buffer) });
  },
);
