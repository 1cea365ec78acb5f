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
import { openLog, type StoreLog } from './open-log.ts';

/**
 * What is real and what is generated never lie in one store: a trail must not cross from one into the other.
 */
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
  /** Where an engine of our own keeps the tables. */
  readonly warehouseFolder: string;
  /** null: the tables lie in that folder. */
  readonly server: (ClickHouseServer & { readonly database: string }) | null;
  close(): Promise<void>;
};

/** Where an engine of our own keeps the tables of a store. */
export const warehouseFolderOf = (storeFolder: string): string => join(storeFolder, 'warehouse');

export const storeFolder = (dataFolder: string, name: StoreName): string => resolve(dataFolder, name);

const STORE_NAME = /^(chain|world-\d+)$/;

/** The stores that lie in a data folder. */
export const existingStores = (dataFolder: string): StoreName[] =>
  existsSync(dataFolder)
    ? readdirSync(dataFolder).filter((name): name is StoreName => STORE_NAME.test(name))
    : [];

/** What stands before the names of a store's topics on brokers. */
export const topicPrefix = (name: StoreName, { prefix }: Pick<KafkaEngines, 'prefix'>): string =>
  name === 'chain' ? prefix : `${prefix}${name}.`;

/** What of the configuration says where stores lie, for `openStore`. */
export const placesOf = ({ dataFolder, kafka, clickhouse, logQueueBytesMax }: Config) => ({
  dataFolder,
  kafka,
  clickhouse,
  maxQueuedBytes: logQueueBytesMax,
});

/**
 * Opens the log and the schema registry of a store; makes them where there are none. On brokers it waits until they
 * answer; topics must have been applied. Throws what waiting does not help, among it `ConfigError`, `RegistryFileError` and
 * `RegistryError`.
 */
export const openStore = async (request: {
  dataFolder: string;
  name: StoreName;
  maxQueuedBytes: number;
  /** null, unless given: in files of the folder. */
  kafka?: KafkaEngines | null;
  /** null, unless given: the tables lie in the folder. */
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
