import { LogError } from '../event-log.ts';

/** The broker's error codes, as in `org.apache.kafka.common.protocol.Errors`. */
export const CODES = {
  offsetOutOfRange: 1,
  groupLoading: 14,
  coordinatorNotAvailable: 15,
  notCoordinator: 16,
  illegalGeneration: 22,
  unknownMember: 25,
  rebalanceInProgress: 27,
  invalidProducerEpoch: 47,
  invalidTransactionState: 48,
  invalidProducerIdMapping: 49,
  concurrentTransactions: 51,
  nonEmptyGroup: 68,
  groupIdNotFound: 69,
  producerFenced: 90,
} as const;

/** The broker's error code; null when the error is not a broker's answer. */
export const codeOf = (error: unknown): number | null =>
  error instanceof Error && 'code' in error && typeof error.code === 'number' ? error.code : null;

export const hasCode = (error: unknown, ...codes: readonly number[]): boolean =>
  codes.includes(codeOf(error) ?? 0);

const AWAY = new Set([
  'KafkaJSConnectionError',
  'KafkaJSConnectionClosedError',
  'KafkaJSRequestTimeoutError',
  'KafkaJSBrokerNotFound',
  'KafkaJSLockTimeout',
  'KafkaJSMetadataNotLoaded',
  'KafkaJSTopicMetadataNotLoaded',
  'KafkaJSGroupCoordinatorNotFound',
]);

/** The message of kafkajs' unnamed error when a connection ends while requests wait for it. */
const NOT_CONNECTED = 'Broker not connected';

const isAway = ({ name, message }: Error): boolean => AWAY.has(name) || message === NOT_CONNECTED;

const WRAPPERS = new Set(['KafkaJSNumberOfRetriesExceeded', 'KafkaJSNonRetriableError']);

const unwrap = (error: unknown): unknown =>
  error instanceof Error && error.cause instanceof Error && WRAPPERS.has(error.name)
    ? unwrap(error.cause)
    : error;

/** Node's codes for problems with a certificate, or with a broker that does not use TLS. */
const TLS_REFUSAL = /^(CERT_|DEPTH_ZERO_|ERR_SSL_|ERR_TLS_|SELF_SIGNED_|UNABLE_TO_)/;

const tlsRefusalOf = (error: unknown): string | null =>
  error instanceof Error && 'code' in error && TLS_REFUSAL.test(String(error.code))
    ? String(error.code)
    : null;

/** How to continue after an error: repeat, repeat on fresh connections, or give up. */
export type Remedy = 'wait' | 'reconnect' | 'give_up';

export const remedyFor = (thrown: unknown): Remedy => {
  const error = unwrap(thrown);
  if (!(error instanceof Error) || tlsRefusalOf(error) !== null) return 'give_up';
  if (isAway(error)) return 'reconnect';
  // The broker answers, but is not ready yet.
  if (hasCode(error, CODES.concurrentTransactions, CODES.groupLoading)) return 'wait';
  return 'retriable' in error && error.retriable === true ? 'reconnect' : 'give_up';
};

const nameOf = (error: unknown): string => (error instanceof Error ? error.name : 'unknown');

/** Converts a kafkajs error to the log's own error type. Its message contains no address. */
export const toLogError = (thrown: unknown): LogError => {
  if (thrown instanceof LogError) return thrown;
  const error = unwrap(thrown);
  const type = error instanceof Error && 'type' in error ? String(error.type).toLowerCase() : nameOf(error);
  const [code, message] = describeError(error, type);
  return new LogError(code, message, { cause: thrown });
};

const describeError = (error: unknown, type: string): [code: string, message: string] => {
  if (error instanceof Error && error.name === 'KafkaJSSASLAuthenticationError')
    return ['kafka_login_refused', `the brokers refuse the login: ${error.message}`];
  const tls = tlsRefusalOf(error);
  if (tls !== null)
    return [
      'kafka_tls_refused',
      `no TLS with the brokers: ${tls} (NODE_EXTRA_CA_CERTS names a file of authorities beside those that Node knows)`,
    ];
  return remedyFor(error) === 'give_up'
    ? ['kafka_refused', `the broker refused a request: ${type}`]
    : ['kafka_away', `the brokers are out of reach or not ready: ${type}`];
};
