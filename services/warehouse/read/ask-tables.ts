import {
  ReadFailedError,
  type ReadFailure,
  type ReadLimits,
} from '../../investigate/model/transfer-reader.ts';
import type { WarehouseClient } from '../../platform/warehouse-engine/warehouse.ts';

export type Question = {
  readonly query: string;
  readonly params: Readonly<
    Record<string, string | number | readonly number[] | readonly bigint[] | readonly string[]>
  >;
  /** Engine settings for this query only. */
  readonly settings?: {
    readonly optimize_move_to_prewhere?: 0;
    readonly max_bytes_before_external_group_by?: string;
  };
};

/** Without PREWHERE, because hardly any row that the key finds is filtered out. */
export const READ_AT_ONCE = { optimize_move_to_prewhere: 0 } as const;

/**
 * The rows of one query, as arrays of columns. Integers of 64 bits and more arrive as text. Throws
 * `ReadFailedError` when the engine is unreachable, overloaded, broken or too slow, or its answer ends too
 * early. A query that the engine does not understand is a bug, and its error is thrown unchanged.
 */
export const askTables = async <Row extends readonly unknown[]>(
  client: WarehouseClient,
  { query, params, settings }: Question,
  { signal, timeoutMs, onBytes }: ReadLimits,
): Promise<readonly Row[]> => {
  // The client would send a query even if its signal was aborted before.
  if (signal.aborted) throw new ReadFailedError('aborted');
  try {
    const answer = await client.query({
      query,
      query_params: params,
      format: 'JSONCompact',
      abort_signal: signal,
      clickhouse_settings: {
        ...settings,
        max_execution_time: Math.max(1, Math.ceil(timeoutMs / 1_000)),
        // A thread that only writes a few rows costs more than it saves.
        output_format_parallel_formatting: 0,
        // A granule's columns are in separate files, which a cold disk would read one after the other
        // otherwise.
        local_filesystem_read_prefetch: 1,
        allow_prefetched_read_pool_for_local_filesystem: 1,
      },
    });
    const text = await answer.text();
    onBytes?.(Buffer.byteLength(text));
    return (JSON.parse(text) as { readonly data: readonly Row[] }).data;
  } catch (error) {
    const failure = signal.aborted ? 'aborted' : toReadFailure(error);
    throw failure === null ? error : new ReadFailedError(failure, { cause: error });
  }
};

/** ClickHouse's codes for temporary errors. */
const TIMEOUT_EXCEEDED = '159';
const ENGINE_TROUBLE = new Set([
  '3', // unexpected end of file, of a server that was asked by ours
  '32', // attempt to read after the end, likewise
  '74', // cannot read from a file
  '173', // cannot allocate memory
  '198', // a name of a server is not found
  '201', // quota exceeded
  '202', // too many simultaneous queries
  '203', // no free connection
  '209', // socket timeout
  '210', // network error
  '225', // no Keeper
  '236', // aborted, it is about to end
  '241', // memory limit exceeded
  '242', // table is read only, its replica has no Keeper
  '243', // not enough space
  '279', // none of a shard's servers answers
  '319', // unknown status of an insert
  '364', // a replica is behind, or its tables are not there yet
  '394', // query was cancelled
  '425', // the system refused a call
  '439', // cannot schedule a task
  '516', // authentication failed: its users are being loaded, or somebody changed them
  '519', // all replicas of a shard are lost
  '999', // Keeper
  '1000', // of the library beneath, mostly the network
]);

/** Not an error of the engine, which has a code: from a proxy, or a truncated answer. */
const isCutAnswer = (error: Error): boolean => error instanceof SyntaxError || error.constructor === Error;

const toReadFailure = (error: unknown): ReadFailure | null => {
  if (!(error instanceof Error)) return null;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : null;
  if (code === TIMEOUT_EXCEEDED || error.message === 'Timeout error.') return 'timeout';
  const isEngineError = code !== null && /^\d+$/.test(code);
  if (isEngineError) return ENGINE_TROUBLE.has(code) ? 'unavailable' : null;
  // Any other code comes from the socket: refused, reset, unreachable.
  return code !== null || isCutAnswer(error) ? 'unavailable' : null;
};
