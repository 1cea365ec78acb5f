import type { QueryParams } from '@clickhouse/client';

type Asked = Pick<QueryParams, 'query' | 'query_params'>;
type Item = string | number | bigint;

/**
 * A server refuses every query with a longer parameter (`http_max_field_value_size`, 131,072 bytes by
 * default), before it checks the user.
 */
const PARAMETER_BYTES_MAX = 120_000;

/**
 * Splits each list parameter that is too long into several, which the engine joins again:
 * `{wallets:Array(String)}` becomes `arrayConcat({wallets__0:Array(String)}, {wallets__1:Array(String)})`.
 * Lists contain texts or numbers; others are left unchanged.
 */
export const cutLongLists = <Request extends Asked>(request: Request): Request => {
  let { query, query_params: params } = request;
  for (const [name, list] of Object.entries(params ?? {})) {
    const pieces = isList(list) ? cut(list) : [];
    if (pieces.length < 2) continue;
    const names = pieces.map((_, place) => `${name}__${place}`);
    query = query.replaceAll(
      new RegExp(`\\{\\s*${name}\\s*:([^{}]*)\\}`, 'g'),
      (_, type: string) => `arrayConcat(${names.map((piece) => `{${piece}:${type}}`).join(', ')})`,
    );
    const { [name]: _, ...others } = params ?? {};
    params = { ...others, ...Object.fromEntries(names.map((piece, place) => [piece, pieces[place]])) };
  }
  return { ...request, query, query_params: params };
};

const isList = (value: unknown): value is readonly Item[] =>
  Array.isArray(value) && value.every((item) => ['string', 'number', 'bigint'].includes(typeof item));

/** Each piece stays below the limit as sent. A longer item becomes a piece of its own. */
const cut = (list: readonly Item[]): Item[][] => {
  const pieces: Item[][] = [[]];
  let bytes = 0;
  for (const item of list) {
    const more = bytesOf(item);
    if (bytes + more > PARAMETER_BYTES_MAX && bytes > 0) {
      pieces.push([]);
      bytes = 0;
    }
    pieces.at(-1)?.push(item);
    bytes += more;
  }
  return pieces;
};

/** As sent: quoted, with a comma, and a backslash before some characters. */
const bytesOf = (item: Item): number => {
  const text = String(item);
  return Buffer.byteLength(text) + (text.match(/[\\']|\p{Cc}/gu)?.length ?? 0) + 3;
};
