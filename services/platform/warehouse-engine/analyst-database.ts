/**
 * The database of analysts' views: beside a store's tables, with its own prefix, so that one grant covers the
 * views of every store (`infra/clickhouse/users.d/spoor.yaml`): `spoor_world_1` → `spoor_analyst_world_1`.
 */
export const analystDatabaseOf = (database: string): string => {
  const rest = database.replace(/^spoor(_|$)/, '');
  return rest === '' ? 'spoor_analyst' : `spoor_analyst_${rest}`;
};
