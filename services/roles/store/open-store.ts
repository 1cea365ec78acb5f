import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { openRetractionEncoder, type RetractionEncoder } from '../../events/block-retracted.ts';
import { type BlockEncoder, createBlockEncoder } from '../../events/encode-block.ts';
import { registerTransferSchemas } from '../../events/transfer-schemas.ts';
import type { SchemaRegistry } from '../../platform/avro/schema-registry.ts';
import type { ClickHouseServer } from '../../platform/config/clickhouse.ts';
import type { Config } from '../../platform/config/config.ts';
import type { KafkaEngines } from '../../platform/config/kafka.ts';
import { type WaitFor, waitUnseen } from '../start-waits.ts';
import { serverDatabaseOf } from './database.ts';
import { makeStoreFolder } from './make-folder.ts';
import { openLog } from './open-log.ts';
import type { StoreLog } from './store-log.ts';

/** Real and generated data never share a store, so no trail can cross between them. */
export type StoreName = 'chain' | `world-${number}`;

export type Store = {
  readonly name: StoreName;
  readonly folder: string;
  readonly log: StoreLog;
  readonly registry: SchemaRegistry;
  readonly encodeBlock: BlockEncoder;
  readonly encodeRetraction: RetractionEncoder;
  /** For encoders in other threads. */
  readonly blockSchemaId: number;
  /** The folder of an embedded engine. */
  readonly warehouseFolder: string;
  /** null: the tables lie in that folder. */
  readonly server: (ClickHouseServer & { readonly database: string }) | null;
  close(): Promise<void>;
};

/** The folder of a store's embedded engine. */
export const warehouseFolderOf = (storeFolder: string): string => join(storeFolder, 'warehouse');

export const storeFolder = (dataFolder: string, name: StoreName): string => resolve(dataFolder, name);

const STORE_NAME = /^(chain|world-\d+)$/;

/** The stores in a data folder. */
export const existingStores = (dataFolder: string): StoreName[] =>
  existsSync(dataFolder)
    ? readdirSync(dataFolder).filter((name): name is StoreName => STORE_NAME.test(name))
    : [];

/** The prefix of a store's topics on brokers. */
export const topicPrefix = (name: StoreName, { prefix }: Pick<KafkaEngines, 'prefix'>): string =>
  name === 'chain' ? prefix : `${prefix}${name}.`;

/** The part of the configuration that locates stores, for `openStore`. */
export const placesOf = ({ dataFolder, kafka, clickhouse, logQueueBytesMax }: Config) => ({
  dataFolder,
  kafka,
  clickhouse,
  maxQueuedBytes: logQueueBytesMax,
});

/**
 * Opens a store's log and schema registry, and creates missing ones. On brokers it waits for an answer; topics
 * must exist. Throws what waiting cannot solve, including `ConfigError`, `RegistryFileError` and `RegistryError`.
 */
export const openStore = async (request: {
  dataFolder: string;
  name: StoreName;
  maxQueuedBytes: number;
  /** Default null: files in the folder. */
  kafka?: KafkaEngines | null;
  /** Default null: the tables lie in the folder. */
  clickhouse?: ClickHouseServer | null;
  onError?: (error: unknown) => void;
  waitFor?: WaitFor;
}): Promise<Store> => {
  const { dataFolder, name, maxQueuedBytes, kafka = null, clickhouse } = request;
  const { onError = () => {}, waitFor = waitUnseen } = request;
  const folder = storeFolder(dataFolder, name);
  makeStoreFolder(folder);
  const onBrokers = kafka && { ...kafka, prefix: topicPrefix(name, kafka) };
  const { log, registry } = await openLog({ folder, kafka: onBrokers, maxQueuedBytes, onError, waitFor });
  try {
    const blockSchemaId = await registerTransferSchemas(registry);
    return {
      name,
      folder,
      log,
      registry,
      encodeBlock: createBlockEncoder(blockSchemaId),
      encodeRetraction: await openRetractionEncoder(registry),
      blockSchemaId,
      warehouseFolder: warehouseFolderOf(folder),
      server: clickhouse ? { ...clickhouse, database: serverDatabaseOf(name) } : null,
      close: () => log.close(),
    };
  } catch (error) {
    await log.close();
    throw error;
  }
};
