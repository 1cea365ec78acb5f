import { type AppendRecord, LogError, type Position, type StoredRecord } from './event-log.ts';
import { type FollowedTopic, followTopic } from './follow-topic.ts';
import { Verdicts } from './verdicts.ts';

/** A followed topic whose earlier records decide whether a record is valid. */
export type JudgedTopic<V> = Omit<FollowedTopic, 'untilRead'> & {
  /**
   * Appends all records or none. Resolves to the verdict on the last one when it was read back. Throws
   * `LogError`; the records may be in the log even then.
   */
  write(records: readonly AppendRecord[]): Promise<V>;
};

type FollowOptions = Parameters<typeof followTopic>[0];

const placeOf = ({ partition, offset }: Pick<Position, 'partition' | 'offset'>): string =>
  `${partition}:${offset}`;

/** Resolves when everything in the topic was taken. */
export const followJudgedTopic = async <V>(
  options: Omit<FollowOptions, 'take'> & {
    /** Returns the verdict on the record. When it throws, the record is taken again. */
    readonly take: (record: StoredRecord) => V;
  },
): Promise<JudgedTopic<V>> => {
  const { log, topic, take } = options;
  const verdicts = new Verdicts<V>();
  const { untilRead, ...followed } = await followTopic({
    ...options,
    take: (record) => verdicts.put(placeOf(record), take(record)),
  });
  const writeAndRead = async (records: readonly AppendRecord[]): Promise<V> => {
    const position = (await log.append(records)).at(-1);
    if (position === undefined) throw new RangeError('nothing to write');
    await untilRead(position);
    const verdict = verdicts.get(placeOf(position));
    if (verdict === undefined) throw new LogError('not_read_back', `topic ${topic} was read back before`);
    return verdict;
  };
  return { ...followed, write: (records) => verdicts.during(() => writeAndRead(records)) };
};
