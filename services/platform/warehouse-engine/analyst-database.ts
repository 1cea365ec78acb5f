/**
 * Where the views for analysts lie: beside the tables of a database, and under a prefix of their own, so that one grant covers
 * those of every store (`infra/clickhouse/users.d/spoor.yaml`): `spoor_world_1` → `spoor_analyst_world_1`.
 */
export const analystDatabaseOf = (database: string): string => {
  const rest = database.replace(/^spoor(_|$)/, '');
  return rest === '' ? 'spoor_analyst' : `spoor_analyst_${rest}`;
};
