import { HISTORY_LISTED, type HistoryEvents } from '../../events/history-events.ts';
import { KnownWindows } from '../../investigate/model/known-windows.ts';
import { followTopic } from '../../platform/event-log/follow-topic.ts';
import { RecordPassedOverError } from '../../platform/event-log/read-decoded.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Store } from '../store/open-store.ts';

/** The windows of histories that any process read, so that only gaps are asked. */
export const followWindows = async (request: {
  store: Pick<Store, 'log'>;
  events: HistoryEvents;
  logger: Logger;
}): Promise<{ windows: KnownWindows; stop(): Promise<void> }> => {
  const { store, events, logger } = request;
  const windows = new KnownWindows();
  const onError = (err: unknown): void =>
    logger.warn({ err }, 'reading the topic of listed histories failed; trying again');
  const followed = await followTopic({
    log: store.log,
    topic: HISTORY_LISTED,
    take: (record) => {
      try {
        windows.add(events.decodeListed(record.value));
      } catch (error) {
        onError(new RecordPassedOverError(record, error));
      }
    },
    onError,
  });
  return { windows, stop: followed.stop };
};
