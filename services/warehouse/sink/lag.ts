import type { EventLog } from '../../platform/event-log/event-log.ts';

/** The number of records of these topics that a group has not finished. */
export const readLag = async (log: EventLog, group: string, topics: readonly string[]): Promise<number> => {
  const done = new Map((await log.commits(group)).map((c) => [`${c.topic}/${c.partition}`, c.offset]));
  const ranges = await Promise.all(topics.map((topic) => log.ranges(topic)));
  return ranges
    .flat()
    .reduce(
      (sum, { topic, partition, begin, end }) =>
        sum + end - Math.max(begin, done.get(`${topic}/${partition}`) ?? begin),
      0,
    );
};
