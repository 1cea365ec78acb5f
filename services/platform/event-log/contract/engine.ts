import { afterEach, expect } from 'vitest';
import type { AppendRecord, EventLog } from '../event-log.ts';
import type { Topic } from '../topics.ts';

export type ContractLogOptions = {
  readonly topics: readonly Topic[];
  readonly maxQueuedBytes: number;
  readonly maxRecordBytes: number;
};

/** One log, empty at first. Each `open` stands for another process that uses it. */
export type ProvisionedLog = {
  open(options: ContractLogOptions): Promise<EventLog>;
  /** Called when all that was opened is closed. */
  remove(): Promise<void>;
};

/** An engine under test. */
export type EventLogEngine = {
  provision(): Promise<ProvisionedLog>;
  /** The engine keeps marks of its own where an append reaches several partitions: offsets rise, but have gaps. */
  readonly hasMarks?: boolean | undefined;
};

/**
 * The required offsets of consecutive appends to an empty partition: from 0 without a gap, or at least
 * rising.
 */
export const expectInOrder = (
  offsets: readonly number[],
  { hasMarks = false }: Pick<EventLogEngine, 'hasMarks'>,
): void => {
  expect(offsets).toEqual(
    hasMarks ? [...new Set(offsets)].toSorted((a, b) => a - b) : offsets.map((_, i) => i),
  );
};

export const TOPICS: readonly Topic[] = [
  { name: 'one', partitions: 1, retentionMs: -1 },
  { name: 'three', partitions: 3, retentionMs: -1 },
];

export const OPTIONS: ContractLogOptions = {
  topics: TOPICS,
  maxQueuedBytes: 4_000_000,
  maxRecordBytes: 1_000_000,
};

export type Harness = {
  /** Opens a fresh log, or once more the one this test has. */
  open(options?: Partial<ContractLogOptions>): Promise<EventLog>;
};

/** Gives each test its own log and closes what it opened. */
export const createHarness = (engine: EventLogEngine): Harness => {
  let provisioned: Promise<ProvisionedLog> | null = null;
  const opened: EventLog[] = [];
  afterEach(async () => {
    for (const log of opened.splice(0)) await log.close();
    await (await provisioned)?.remove();
    provisioned = null;
  });
  return {
    open: async (options = {}) => {
      provisioned ??= engine.provision();
      const log = await (await provisioned).open({ ...OPTIONS, ...options });
      opened.push(log);
      return log;
    },
  };
};

export const record = (text: string, over: Partial<AppendRecord> = {}): AppendRecord => ({
  topic: 'one',
  key: 'key',
  value: Buffer.from(text),
  ...over,
});

/** The values of one partition as text, from its beginning. */
export const textsIn = async (log: EventLog, topic = 'one', partition = 0): Promise<string[]> =>
  (await log.read({ topic, partition, offset: 0, maxBytes: Number.MAX_SAFE_INTEGER })).map((r) =>
    r.value.toString(),
  );

/** The values of all partitions of a topic, in no particular order between partitions. */
export const allTextsIn = async (log: EventLog, topic: string): Promise<string[]> => {
  const ranges = await log.ranges(topic);
  return (await Promise.all(ranges.map(({ partition }) => textsIn(log, topic, partition)))).flat();
};
