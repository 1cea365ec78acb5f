import { quoteIdentifier, quoteString } from '../sql-tokens.ts';
import { EngineException } from './engine-exception.ts';
import type { EngineLimits } from './engine-options.ts';

/** Parts of the URL that ClickHouse's HTTP interface understands and the engine does not. */
const HTTP_ONLY = new Set([
  'query',
  'query_id',
  'database',
  'default_format',
  'user',
  'password',
  'quota_key',
  'stacktrace',
  'role',
  'add_http_cors_header',
  'wait_end_of_query',
  'buffer_size',
  'enable_http_compression',
  'send_progress_in_http_headers',
  'cancel_http_readonly_queries_on_client_close',
]);

/** Every query has a connection of its own: nothing outlives it. */
const SESSION = new Set(['session_id', 'session_timeout', 'session_check']);

/** Neither side may set these: they are how the engine process holds its promises. */
const RESERVED = new Set(['readonly', 'log_comment', 'allow_ddl', 'implicit_select', 'dialect']);

/** What a reader may choose. Everything else is refused by name. */
const READER_SETTINGS =
  /^(max_execution_time|max_memory_usage|max_threads|max_block_size|max_rows_to_read|max_bytes_to_read|max_result_rows|max_result_bytes|result_overflow_mode|priority|use_uncompressed_cache|use_skip_indexes|optimize_[a-z_]+|join_algorithm|extremes|date_time_(in|out)put_format|output_format_(json|csv|tsv|pretty|arrow|parquet)_[a-z0-9_]+|output_format_parallel_formatting|local_filesystem_read_prefetch|allow_prefetched_read_pool_for_local_filesystem|join_use_nulls|max_query_size)$/;

export type SettingsRequest = {
  readonly database: string;
  readonly settings: ReadonlyMap<string, string>;
  readonly params: ReadonlyMap<string, string>;
  readonly readonly: boolean;
  /** Unique among running queries: how one is found again to be cancelled. */
  readonly tag: string;
  readonly limits: EngineLimits;
};

/** Splits the parameters of a URL into settings and query parameters. Throws on the names nobody may use. */
export function splitParameters(search: Iterable<[string, string]>): {
  settings: Map<string, string>;
  params: Map<string, string>;
} {
  const settings = new Map<string, string>();
  const params = new Map<string, string>();
  for (const [name, value] of search) {
    if (name.startsWith('param_')) params.set(name.slice('param_'.length), value);
    else if (name === 'compress' || name === 'decompress' || SESSION.has(name)) refuse(name, value);
    else if (!HTTP_ONLY.has(name) && !name.startsWith('http_')) settings.set(name, value);
  }
  return { settings, params };
}

function refuse(name: string, value: string): void {
  if (value === '' || value === '0') return;
  throw new EngineException(
    48,
    'NOT_IMPLEMENTED',
    `Parameter ${name} is not supported by the embedded engine`,
  );
}

/** The statements that go before a query on its connection. After `readonly` nothing can be set any more. */
export function prelude(request: SettingsRequest): string {
  const settings = new Map(defaults(request));
  for (const [name, value] of request.settings) {
    checkSetting(name, request.readonly);
    settings.set(name, bounded(name, value, request));
  }
  const assignments = [
    ...[...settings].map(([name, value]) => `${name} = ${quoteString(value)}`),
    ...[...request.params].map(([name, value]) => `${parameterName(name)} = ${quoteString(value)}`),
    ...(request.readonly ? ['readonly = 1'] : []),
  ];
  // The engine reads each statement under the limit that the one before it set, and lists are longer than its own 256 KiB. How
  // long they may be was decided when the request was read.
  return `USE ${quoteIdentifier(request.database)}; SET max_query_size = 0; SET ${assignments.join(', ')}; `;
}

function defaults({ readonly, limits, tag }: SettingsRequest): [string, string][] {
  return [
    ['log_comment', tag],
    ['implicit_select', '0'],
    ['output_format_json_quote_64bit_integers', '1'],
    ['max_threads', '1'],
    ['max_insert_threads', '1'],
    // Pieces into which a range of the key is cut on the way to rows: at the engine's own 8 the key is compared with a third more
    // marks, and that is up to a third of a question for a hundred wallets.
    ['merge_tree_coarse_index_granularity', '2'],
    // chDB's default is 1; a batch must be one insert, or its token means nothing.
    ['async_insert', '0'],
    ['max_execution_time', String(limits.executionSecondsMax)],
    ['max_memory_usage', String(limits.queryMemoryBytesMax)],
    ['max_query_size', String(limits.queryBytesMax)],
    ...(readonly ? ([['allow_introspection_functions', '0']] as [string, string][]) : []),
  ];
}

function checkSetting(name: string, readonly: boolean): void {
  const wellFormed = /^[a-z][a-z0-9_]*$/.test(name) && !name.startsWith('param_');
  if (!wellFormed)
    throw new EngineException(115, 'UNKNOWN_SETTING', `Unknown setting ${JSON.stringify(name)}`);
  if (RESERVED.has(name) || (readonly && !READER_SETTINGS.test(name))) {
    throw new EngineException(452, 'SETTING_CONSTRAINT_VIOLATION', `Setting ${name} should not be changed`);
  }
}

/** A reader may ask for less time and memory than the limit, never for more; 0 would mean no limit. */
function bounded(name: string, value: string, { readonly, limits }: SettingsRequest): string {
  if (!readonly) return value;
  const limit = {
    max_execution_time: limits.executionSecondsMax,
    max_memory_usage: limits.queryMemoryBytesMax,
    max_query_size: limits.queryBytesMax,
    max_threads: limits.querySlots,
  }[name];
  if (limit === undefined) return value;
  const wanted = Number(value);
  return String(wanted > 0 && wanted < limit ? wanted : limit);
}

function parameterName(name: string): string {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
    throw new EngineException(
      36,
      'BAD_ARGUMENTS',
      `Query parameter name ${JSON.stringify(name)} is not an identifier`,
    );
  }
  return `param_${name}`;
}
