import { isHttpAddress } from '../login.ts';
import { type Addresses, addressesOf } from './addresses.ts';

/** An external ClickHouse server, or a cluster. The URLs carry passwords: never print them. */
export type ClickHouseServer = {
  /**
   * `http(s)://user:password@host:port` of a user who creates and fills the tables. Several are servers of one
   * cluster, tried in turn.
   */
  readonly urls: Addresses;
  /**
   * The same for queries, of a user who cannot write; null: the first user, with each query sent as
   * read-only.
   */
  readonly readerUrls: Addresses | null;
  /** The cluster's name in the server's `remote_servers`; null: a single server. */
  readonly cluster: string | null;
  /** How many replicas of a shard confirm an insert; `auto`: more than half. */
  readonly quorum: number | 'auto';
};

export const CLICKHOUSE_VARIABLES = [
  'CLICKHOUSE_URL',
  'CLICKHOUSE_READER_URL',
  'CLICKHOUSE_CLUSTER',
  'CLICKHOUSE_QUORUM',
] as const;

type Variable = (typeof CLICKHOUSE_VARIABLES)[number];
type Problem = { readonly variable: Variable; readonly problem: string };

/** The operator does not choose the database: stores of generated and of real chains each have their own. */
const isServerUrl = (text: string): boolean => {
  if (!isHttpAddress(text)) return false;
  const { pathname, search } = new URL(text);
  return pathname === '/' && search === '';
};

const ACCEPTED_URL =
  'is not accepted; accepted is http://user:password@host:port, or https, without a path, with "%" and the like percent-encoded; several are separated by commas';
const ACCEPTED_CLUSTER = 'is not accepted; accepted is a name of letters, digits, "_" and "-"';

const AUTO = 'auto';
const ACCEPTED_QUORUM =
  'is not accepted; accepted is auto (more than half of the replicas) or a number from 1 to 9';

/** Reads the variables; null when no server is configured. Problems do not repeat the values. */
export const parseClickHouse = (
  given: (variable: Variable) => string | undefined,
): { server: ClickHouseServer | null; problems: Problem[] } => {
  const urls = addressesOf(given('CLICKHOUSE_URL'));
  const readerUrls = addressesOf(given('CLICKHOUSE_READER_URL'));
  const cluster = given('CLICKHOUSE_CLUSTER') ?? null;
  const quorumText = given('CLICKHOUSE_QUORUM') ?? AUTO;
  const quorum = quorumText === AUTO ? AUTO : Number(quorumText);
  const problems: Problem[] = [];
  const refuse = (variable: Variable, problem: string): void => void problems.push({ variable, problem });
  if (urls?.every(isServerUrl) === false) refuse('CLICKHOUSE_URL', ACCEPTED_URL);
  if (readerUrls?.every(isServerUrl) === false) refuse('CLICKHOUSE_READER_URL', ACCEPTED_URL);
  if (cluster !== null && !/^[\w-]{1,128}$/.test(cluster)) refuse('CLICKHOUSE_CLUSTER', ACCEPTED_CLUSTER);
  if (quorum !== AUTO && !/^[1-9]$/.test(quorumText)) refuse('CLICKHOUSE_QUORUM', ACCEPTED_QUORUM);
  if (quorum !== AUTO && cluster === null)
    refuse('CLICKHOUSE_CLUSTER', 'is needed where CLICKHOUSE_QUORUM is set');
  if (!urls && (readerUrls || cluster !== null))
    refuse('CLICKHOUSE_URL', 'is needed where CLICKHOUSE_READER_URL or CLICKHOUSE_CLUSTER is set');
  // Servers that know nothing of each other would each hold a part of the rows.
  if (urls && cluster === null && Math.max(urls.length, readerUrls?.length ?? 0) > 1)
    refuse('CLICKHOUSE_CLUSTER', 'is needed where several addresses are given');
  if (!urls || problems.length > 0) return { server: null, problems };
  return { server: { urls, readerUrls: readerUrls ?? null, cluster, quorum }, problems };
};
