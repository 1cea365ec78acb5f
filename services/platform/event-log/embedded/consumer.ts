import { performance } from 'node:perf_hooks';
import {
  type AppendRecord,
  type Batch,
  type Commit,
  type Consumer,
  FencedError,
  LogClosedError,
  LogError,
  type Position,
} from '../event-log.ts';
import type { Lease } from './lease.ts';
import { isBehind, type LogReader } from './log-reader.ts';
import { packRecords } from './packed-records.ts';
import { type PlacedRecords, topicsOf, withOffsets } from './place-records.ts';
import type { Catalog } from './register-topics.ts';
import type { WakeSignal } from './wake-signal.ts';

type Cursor = {
  readonly topic: string;
  readonly partition: number;
  readonly partitionId: number;
  offset: number;
};

type Options = {
  readonly group: string;
  readonly topics: readonly string[];
  readonly resumedFrom: readonly Commit[];
  readonly catalog: Catalog;
  readonly place: (records: readonly AppendRecord[]) => PlacedRecords;
  readonly reader: LogReader;
  readonly lease: Lease;
  readonly wakeSignal: WakeSignal;
  readonly onClose: () => void;
};

/** The position in each partition, and whose turn it is. */
const createCursors = ({ group, topics, resumedFrom, catalog, reader }: Options) => {
  const cursors: Cursor[] = topics.flatMap((topic) =>
    catalog.idsOf(topic).map((partitionId, partition) => {
      const commit = resumedFrom.find((c) => c.topic === topic && c.partition === partition);
      return { topic, partition, partitionId, offset: commit?.offset ?? 0 };
    }),
  );
  let turn = 0;

  return {
    find: ({ topic, partition }: Omit<Position, 'offset'>): Cursor => {
      const cursor = cursors.find((c) => c.topic === topic && c.partition === partition);
      if (cursor) return cursor;
      throw new LogError(
        'not_owned',
        `group ${group} does not read partition ${partition} of topic ${topic}`,
      );
    },
    /** Goes round the partitions, so that one with a long backlog does not hold up the others. */
    nextBatch: (maxBytes: number): Batch | null => {
      const extents = reader.extents();
      for (let step = 0; step < cursors.length; step++) {
        const at = (turn + step) % cursors.length;
        const cursor = cursors[at];
        if (cursor === undefined || !isBehind(cursor, extents.get(cursor.partitionId))) continue;
        const { topic, partition, offset: from } = cursor;
        const records = reader.read({ ...cursor, from, until: Number.MAX_SAFE_INTEGER, maxBytes });
        const last = records.at(-1);
        if (last === undefined) continue;
        cursor.offset = last.offset + 1;
        turn = at + 1;
        return { topic, partition, from, records };
      }
      return null;
    },
  };
};

export const createConsumer = (options: Options): Consumer => {
  const { group, lease, wakeSignal, onClose } = options;
  const cursors = createCursors(options);
  let isPolling = false;
  let isClosed = false;

  const mustOwn = (): void => {
    if (isClosed) throw new LogClosedError('consumer');
    if (lease.isLost()) throw new FencedError(group);
  };

  const poll: Consumer['poll'] = async ({ maxBytes, waitMs }) => {
    mustOwn();
    if (isPolling) throw new LogError('poll_overlap', `a poll of group ${group} is still waiting`);
    isPolling = true;
    try {
      const deadline = performance.now() + waitMs;
      for (;;) {
        const batch = cursors.nextBatch(maxBytes);
        if (batch !== null) return batch;
        const leftMs = deadline - performance.now();
        if (leftMs <= 0) return null;
        const isWoken = await wakeSignal.wait(options.topics, leftMs);
        mustOwn();
        if (!isWoken) return null;
      }
    } finally {
      isPolling = false;
    }
  };

  const transact: Consumer['transact'] = async (request) => {
    mustOwn();
    for (const commit of request.commits) cursors.find(commit);
    const { records, bytes, positions } = options.place(request.records);
    const pack = packRecords(records, bytes);
    const offsets = await lease.transact({ pack, records: records.length, commits: request.commits });
    if (offsets === null) throw new FencedError(group);
    wakeSignal.wake(topicsOf(positions));
    return withOffsets(positions, offsets);
  };

  return {
    resumedFrom: options.resumedFrom,
    poll,
    seek: (position) => {
      cursors.find(position).offset = position.offset;
    },
    commit: async (commit) => {
      await transact({ records: [], commits: [commit] });
    },
    transact,
    close: async () => {
      if (isClosed) return;
      isClosed = true;
      wakeSignal.wake();
      onClose();
      await lease.release();
    },
  };
};
