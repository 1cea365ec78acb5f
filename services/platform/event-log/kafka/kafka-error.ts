import { LogError } from '../event-log.ts';

/** The broker's own number for what went wrong, as in `org.apache.kafka.common.protocol.Errors`. */
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

/** The broker's error number; null where the error is not an answer of a broker. */
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

const WRAPPERS = new Set(['KafkaJSNumberOfRetriesExceeded', 'KafkaJSNonRetriableError']);

/** What to do about an error: the same again, the same on fresh connections, or give up. */
export type Remedy = 'wait' | 'reconnect' | 'give_up';

export const remedyFor = (error: unknown): Remedy => {
  if (!(error instanceof Error)) return 'give_up';
  if (AWAY.has(error.name)) return 'reconnect';
  if (error.cause instanceof Error && WRAPPERS.has(error.name)) return remedyFor(error.cause);
  // The broker is there and answers, but is not ready yet.
  if (hasCode(error, CODES.concurrentTransactions, CODES.groupLoading)) return 'wait';
  return 'retriable' in error && error.retriable === true ? 'reconnect' : 'give_up';
};

const nameOf = (error: unknown): string => (error instanceof Error ? error.name : 'unknown');

/** What kafkajs says, in the log's own error type; its message names no address. */
export const toLogError = (error: unknown): LogError => {
  if (error instanceof LogError) return error;
  const type = error instanceof Error && 'type' in error ? String(error.type).toLowerCase() : nameOf(error);
  return remedyFor(error) === 'give_up'
    ? new LogError('kafka_refused', `the broker refused a request: ${type}`, { cause: error })
    : new LogError('kafka_away', `the brokers are out of reach or not ready: ${type}`, { cause: error });
};
