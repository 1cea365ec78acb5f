import type { QueryParams } from '@clickhouse/client';
import type { WarehouseClient } from './warehouse.ts';

type Bounds = Pick<QueryParams, 'clickhouse_settings' | 'abort_signal'>;

/**
 * The rows of one query, as arrays of columns. Integers of 64 bits and more arrive as text. Throws the
 * engine's error.
 */
export const askRows = async <Row extends readonly unknown[]>(
  client: Pick<WarehouseClient, 'query'>,
  query: string,
  query_params: Readonly<Record<string, unknown>> = {},
  bounds: Bounds = {},
): Promise<Row[]> => {
  const answer = await client.query({ query, query_params, format: 'JSONCompactEachRow', ...bounds });
  return answer.json<Row>();
};
