import { setTimeout as sleep } from 'node:timers/promises';
import { LABEL_TOPIC } from '../../events/label-events.ts';
import { readLag } from '../../warehouse/sink/lag.ts';
import type { ChainProgress } from '../ingest/start-ingest.ts';
import { LABEL_GROUP } from '../sink/start-labels.ts';
import { SINK_GROUP, TRANSFER_TOPICS } from '../sink/start-sink.ts';
import type { Store } from '../store/open-store.ts';
import type { RunningWorld } from './start-world.ts';

const LOOK_MS = 100;

/**
 * Resolves when the tables hold the whole generated world: its examples are asked for at once, and a trail that is cut
 * short because its end is not there yet would look like an answer.
 */
export const untilWorldIngested = async (request: {
  store: Store;
  world: Pick<RunningWorld, 'ranges'>;
  progress: readonly ChainProgress[];
  isClosing: () => boolean;
}): Promise<void> => {
  const { store, world, progress, isClosing } = request;
  const isRead = ({ chain, indexed }: ChainProgress): boolean =>
    indexed !== null && indexed >= (world.ranges[chain]?.last ?? Number.POSITIVE_INFINITY);
  const isStored = async (): Promise<boolean> =>
    (await readLag(store.log, SINK_GROUP, TRANSFER_TOPICS)) === 0 &&
    (await readLag(store.log, LABEL_GROUP, [LABEL_TOPIC])) === 0;
  while (!isClosing()) {
    if (progress.every(isRead) && (await isStored())) return;
    await sleep(LOOK_MS);
  }
};
