import type { SchemaRegistry } from '../platform/avro/schema-registry.ts';
import { loadSchema, loadVersions } from '../platform/avro/schemas.ts';

const registerVersions = async (registry: SchemaRegistry, name: string): Promise<number> => {
  for (const version of loadVersions(name)) await registry.register(version);
  return registry.register(loadSchema(name));
};

/**
 * Registers whatever the topics of blocks may have been written with, also by others, oldest first: who reads them has no
 * codec that would, and can tell a registry that forgot only what it knows itself. Gives the id of the newest
 * `BlockTransfers`. Throws as `register` does.
 */
export const registerTransferSchemas = async (registry: SchemaRegistry): Promise<number> => {
  const blockSchemaId = await registerVersions(registry, 'BlockTransfers');
  await registerVersions(registry, 'TransactionTransfers');
  return blockSchemaId;
};
