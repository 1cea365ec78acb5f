import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { openRetractionEncoder, type RetractionEncoder } from '../events/block-retracted.ts';
import { type BlockEncoder, createBlockEncoder } from '../events/encode-block.ts';
import { openLocalRegistry, type SchemaRegistry } from '../platform/avro/local-registry.ts';
import { loadSchema } from '../platform/avro/schemas.ts';
import { type EmbeddedLog, openEmbeddedLog } from '../platform/event-log/embedded/open-embedded-log.ts';
import type { LogError } from '../platform/event-log/event-log.ts';
import { TOPICS } from '../platform/event-log/topics.ts';

/**
 * What is real and what is generated never lie in one store: a trail must not cross from one into the other.
 */
export type StoreName = 'chain' | `world-${number}`;

export type Store = {
  readonly name: StoreName;
  readonly folder: string;
  readonly log: EmbeddedLog;
  readonly registry: SchemaRegistry;
  readonly encodeBlock: BlockEncoder;
  readonly encodeRetraction: RetractionEncoder;
  /** For encoders in other threads. */
  readonly blockSchemaId: number;
  readonly warehouseFolder: string;
  close(): Promise<void>;
};

const RECORD_BYTES_MAX = 1 << 20;

export const storeFolder = (dataFolder: string, name: StoreName): string => resolve(dataFolder, name);

const STORE_NAME = /^(chain|world-\d+)$/;

/** The stores that lie in a data folder. */
export const existingStores = (dataFolder: string): StoreName[] =>
  existsSync(dataFolder)
    ? readdirSync(dataFolder).filter((name): name is StoreName => STORE_NAME.test(name))
    : [];

/** Opens the log and the schema registry of a store; makes them where there are none. */
export const openStore = async (request: {
  dataFolder: string;
  name: StoreName;
  maxQueuedBytes: number;
  onError?: (error: LogError) => void;
}): Promise<Store> => {
  const folder = storeFolder(request.dataFolder, request.name);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const log = await openEmbeddedLog({
    folder: join(folder, 'log'),
    topics: TOPICS,
    maxQueuedBytes: request.maxQueuedBytes,
    maxRecordBytes: RECORD_BYTES_MAX,
    ...(request.onError ? { onError: request.onError } : {}),
  });
  const registry = openLocalRegistry(join(folder, 'schemas.json'));
  const schema = loadSchema('BlockTransfers');
  const blockSchemaId = await registry.register(schema);
  return {
    name: request.name,
    folder,
    log,
    registry,
    encodeBlock: createBlockEncoder(schema, blockSchemaId),
    encodeRetraction: await openRetractionEncoder(registry),
    blockSchemaId,
    warehouseFolder: join(folder, 'warehouse'),
    close: () => log.close(),
  };
};
