import { setTimeout as sleep } from 'node:timers/promises';
import { LABEL_TOPIC } from '../../events/label-events.ts';
import { readLag } from '../../warehouse/sink/lag.ts';
import type { ChainProgress } from '../ingest/start-ingest.ts';
import { LABEL_GROUP } from '../sink/start-labels.ts';
import { SINK_GROUP, TRANSFER_TOPICS } from '../sink/start-sink.ts';
import type { Store } from '../store/open-store.ts';
import type { RunningWorld } from './start-world.ts';

const LOOK_MS = 100;
const TOLD_EVERY_MS = 5_000;

/**
 * Resolves when the tables hold the whole generated world. The printed examples need it: a trail cut by missing
 * blocks would look like an answer.
 */
export const untilWorldIngested = async (request: {
  store: Store;
  world: Pick<RunningWorld, 'ranges'>;
  progress: readonly ChainProgress[];
  isClosing: () => boolean;
  /** Called once if some of it has still to be made and read; not at a start that finds all of it. */
  onMissing: () => void;
  /** Called from time to time after reading with the number of records left. */
  onLag: (records: number) => void;
}): Promise<void> => {
  const { store, world, progress, isClosing, onMissing, onLag } = request;
  let isToldMissing = false;
  let toldMs = Number.NEGATIVE_INFINITY;
  const tell = (records: number): void => {
    if (records === 0 || performance.now() - toldMs < TOLD_EVERY_MS) return;
    toldMs = performance.now();
    onLag(records);
  };
  const isRead = ({ chain, indexed }: ChainProgress): boolean =>
    indexed !== null && indexed >= (world.ranges[chain]?.last ?? Number.POSITIVE_INFINITY);
  /** What a chain's state is, is known a moment after the start. */
  const isMissing = (each: ChainProgress): boolean =>
    each.blocks > 0 || (each.indexed !== null && !isRead(each));
  const isStored = async (): Promise<boolean> => {
    const transfers = await readLag(store.log, SINK_GROUP, TRANSFER_TOPICS);
    const labels = await readLag(store.log, LABEL_GROUP, [LABEL_TOPIC]);
    tell(transfers + labels);
    return transfers + labels === 0;
  };
  while (!isClosing()) {
    if (!isToldMissing && progress.some(isMissing)) {
      isToldMissing = true;
      onMissing();
    }
    if (progress.every(isRead) && (await isStored())) return;
    await sleep(LOOK_MS);
  }
};
