import { setTimeout as sleep } from 'node:timers/promises';
import type { Store } from '../store/open-store.ts';
import { SINK_GROUP, TRANSFER_TOPICS } from './start-sink.ts';

const LOOK_MS = 100;

/** Resolves when all transfers in the log now are in the tables. */
export const untilTransfersStored = async (
  { log }: Pick<Store, 'log'>,
  signal: AbortSignal,
): Promise<void> => {
  const ends = (await Promise.all(TRANSFER_TOPICS.map((topic) => log.ranges(topic)))).flat();
  const isStored = async (): Promise<boolean> => {
    const commits = await log.commits(SINK_GROUP);
    const done = new Map(commits.map((c) => [`${c.topic}/${c.partition}`, c.offset]));
    return ends.every(
      ({ topic, partition, begin, end }) => begin === end || (done.get(`${topic}/${partition}`) ?? 0) >= end,
    );
  };
  while (!(await isStored())) await sleep(LOOK_MS, undefined, { signal });
};
