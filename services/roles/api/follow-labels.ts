import { LABEL_TOPIC, type LabelEvents, openLabelEvents } from '../../events/label-events.ts';
import type { StoredRecord } from '../../platform/event-log/event-log.ts';
import { type FollowedTopic, followTopic } from '../../platform/event-log/follow-topic.ts';
import type { Logger } from '../../platform/logger.ts';
import { retryForever } from '../../platform/retry.ts';
import { type HeldLabels, LabelIndex, NOTHING_HELD } from '../../warehouse/labels/held-labels.ts';
import type { Store } from '../store/open-store.ts';

/** A process that is further behind the log leaves labels to the tables. */
const BEHIND_MAX_MS = 1_000;
/** How many labels are applied at once. Questions wait for some ten milliseconds meanwhile. */
const BATCH_BYTES = 256 << 10;

export type FollowedLabels = HeldLabels & {
  /** Resolves when everything that the log held at the start was read. */
  readonly untilRead: Promise<void>;
  stop(): Promise<void>;
};

/**
 * Holds the labels of the log in memory, so that the tables need not be asked. It answers only after the whole log
 * was read, while it is current, and if there is room for all labels.
 */
export const followLabels = async (request: {
  store: Pick<Store, 'log' | 'registry'>;
  logger: Logger;
  bytesMax?: number;
}): Promise<FollowedLabels> => {
  const { store, logger } = request;
  const index = new LabelIndex(request.bytesMax);
  const stopping = new AbortController();
  const apply = createApply(await openLabelEvents(store.registry), index, logger);
  const take = (record: StoredRecord): void => {
    stopping.signal.throwIfAborted();
    apply(record);
  };
  const onError = (err: unknown): void =>
    logger.warn({ err }, 'labels cannot be read from memory; the tables answer instead');
  const limits = { currentWithinMs: BEHIND_MAX_MS, batchBytes: BATCH_BYTES };
  const follow = () => followTopic({ log: store.log, topic: LABEL_TOPIC, take, onError, ...limits });
  let followed: FollowedTopic | null = null;
  const untilRead = retryForever(follow, { signal: stopping.signal, onWait: onError }).then((following) => {
    followed = following;
  });
  // If it is stopped before that, it rejects; nobody has to await it.
  untilRead.catch(() => undefined);
  const held = (): HeldLabels => (followed?.isFollowing() ? index : NOTHING_HELD);
  return {
    untilRead,
    read: (chains, addresses) => held().read(chains, addresses),
    services: (chain, addresses) => held().services(chain, addresses),
    serviceWallets: (chain, entity, limit) => held().serviceWallets(chain, entity, limit),
    stop: async () => {
      stopping.abort();
      await untilRead.catch(() => undefined);
      await followed?.stop();
      index.close();
    },
  };
};

const createApply = (events: LabelEvents, index: LabelIndex, logger: Logger) => (record: StoredRecord) => {
  if (index.isFull) return;
  try {
    index.apply(events.decode(record.value));
  } catch (err) {
    logger.warn(
      { err, key: record.key },
      'a label event cannot be decoded; the tables answer for its address',
    );
    index.doubt(record.key);
  }
  if (index.isFull) logger.warn('labels take more memory than allowed; the tables answer instead');
};
