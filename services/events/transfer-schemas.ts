import type { SchemaRegistry } from '../platform/avro/schema-registry.ts';
import { loadSchema, loadVersions } from '../platform/avro/schemas.ts';

const registerVersions = async (registry: SchemaRegistry, name: string): Promise<number> => {
  for (const version of loadVersions(name)) await registry.register(version);
  return registry.register(loadSchema(name));
};

/**
 * Registers all schemas that block topics may contain, oldest first. A reader without a codec needs them to notice
 * a registry that forgot. Returns the id of the newest `BlockTransfers`. Throws as `register` does.
 */
export const registerTransferSchemas = async (registry: SchemaRegistry): Promise<number> => {
  const blockSchemaId = await registerVersions(registry, 'BlockTransfers');
  await registerVersions(registry, 'TransactionTransfers');
  return blockSchemaId;
};
