import { openQuotaEvents, QUOTAS_USED } from '../../events/quota-events.ts';
import { keepDays } from '../../ingest/nodes/request-rate.ts';
import { followTopic } from '../../platform/event-log/follow-topic.ts';
import { RecordPassedOverError } from '../../platform/event-log/read-decoded.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Store } from '../store/open-store.ts';

/**
 * Keeps what was used of the day budgets of paid services in the log, so that a restart spends none of them twice.
 * Resolves when what the log holds is known.
 */
export const keepQuotas = async ({
  store,
  logger,
}: {
  store: Pick<Store, 'log' | 'registry'>;
  logger: Logger;
}): Promise<{ stop(): Promise<void> }> => {
  const events = await openQuotaEvents(store.registry);
  const onError = (err: unknown): void => logger.warn({ err }, 'the budgets of a day cannot be kept');
  const writing = new Set<Promise<unknown>>();
  const { restore, stop } = keepDays((used) => {
    const written = store.log.append([events.used(used)]).catch(onError);
    writing.add(written);
    void written.finally(() => writing.delete(written));
  });
  const followed = await followTopic({
    log: store.log,
    topic: QUOTAS_USED,
    take: (record) => {
      try {
        restore(events.decodeUsed(record.value));
      } catch (error) {
        onError(new RecordPassedOverError(record, error));
      }
    },
    onError,
  });
  return {
    stop: async () => {
      stop();
      await followed.stop();
      await Promise.all(writing);
    },
  };
};
