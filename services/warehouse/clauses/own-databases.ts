/**
 * Where system tables list the tables that hold our rows: on a cluster they lie beside the database that everybody asks
 * (platform/warehouse-engine/server/cluster-statements.ts), under the same names.
 */
export const OWN_DATABASES = "database IN (currentDatabase(), concat(currentDatabase(), '_local'))";
