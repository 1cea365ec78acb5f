import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type AppendQueue, createAppendQueue } from './append-queue.ts';
import { packedBytes, unpackRecords } from './packed-records.ts';
import type { Catalog } from './register-topics.ts';
import type { Writer } from './writer.ts';

type Group = { readonly texts: string[]; readonly bytes: number; finish(error?: Error): void };

const catalog: Catalog = {
  topics: [],
  idsOf: () => [1],
  idOf: () => 1,
  place: () => ({ topic: 't', partition: 0, partitionId: 1 }),
};

/** A writer whose transactions end when the test says so. */
const createStage = (maxQueuedBytes: number) => {
  const groups: Group[] = [];
  let nextOffset = 0;
  const call = (_: string, request: { pack: Uint8Array; records: number }) =>
    new Promise((resolve, reject) => {
      const texts = [...unpackRecords(request.pack)].map((r) => Buffer.from(r.value).toString().trim());
      groups.push({
        texts,
        bytes: request.pack.length,
        finish: (error) => {
          if (error !== undefined) return reject(error);
          resolve(Float64Array.from(texts, () => nextOffset++));
        },
      });
    });
  const queue: AppendQueue = createAppendQueue({
    catalog,
    writer: { call: call as Writer['call'] },
    maxQueuedBytes,
    maxRecordBytes: 1_000_000,
    onDurable: () => {},
  });
  return { queue, groups };
};

const record = (text: string, bytes = 0) => ({ topic: 't', key: '', value: Buffer.from(text.padEnd(bytes)) });
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const RECORD_BYTES = packedBytes({
  partitionId: 1,
  timeUnixMs: 0,
  key: '',
  headers: null,
  value: Buffer.alloc(100),
});

test('appends made together go in one transaction, later ones wait and share the one after the next', async () => {
  const { queue, groups } = createStage(1_000_000);
  const appendAll = (...texts: string[]) => texts.map((text) => queue.append([record(text)], 0));
  const calls = [...appendAll('a', 'b')];
  await turn();
  calls.push(...appendAll('c'));
  await turn();
  calls.push(...appendAll('d'));
  await turn();
  calls.push(...appendAll('e'));
  await turn();
  expect(groups.map((g) => g.texts)).toEqual([['a', 'b'], ['c']]);
  groups[0]?.finish();
  await turn();
  expect(groups.map((g) => g.texts)).toEqual([['a', 'b'], ['c'], ['d', 'e']]);
  groups[1]?.finish();
  groups[2]?.finish();
  expect((await Promise.all(calls)).flat().map((p) => p.offset)).toEqual([0, 1, 2, 3, 4]);
});

test('never more bytes are with the writer than may be queued, unless one append alone is larger', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 900 }), { minLength: 1 }), async (sizes) => {
      const { queue, groups } = createStage(1_000);
      const calls = sizes.map((size, i) => queue.append([record(`${i}`, size), record(`${i}`, size)], 0));
      const order: string[] = [];
      for (;;) {
        await turn();
        const [first, ...others] = groups;
        if (first === undefined) break;
        const bytes = groups.reduce((sum, g) => sum + g.bytes, 0);
        expect(bytes).toBe(queue.queuedBytes());
        if (others.length > 0 || first.texts.length > 2) expect(bytes).toBeLessThanOrEqual(1_000);
        order.push(...first.texts);
        groups.shift()?.finish();
      }
      await Promise.all(calls);
      expect(order).toEqual(sizes.flatMap((_, i) => [`${i}`, `${i}`]));
      expect(queue.queuedBytes()).toBe(0);
    }),
    { numRuns: 50 },
  );
});

test('a transaction that fails refuses exactly its own appends', async () => {
  const { queue, groups } = createStage(RECORD_BYTES * 2);
  const outcomes = Promise.allSettled(
    ['a', 'b', 'c', 'd'].map((text) => queue.append([record(text, 100)], 0)),
  );
  await turn();
  groups[0]?.finish(new Error('disk full'));
  await turn();
  groups[1]?.finish();
  expect(groups.map((g) => g.texts)).toEqual([
    ['a', 'b'],
    ['c', 'd'],
  ]);
  expect((await outcomes).map((o) => o.status)).toEqual(['rejected', 'rejected', 'fulfilled', 'fulfilled']);
});

test('draining takes nothing new and waits for all that came before, whether it succeeds or fails', async () => {
  const { queue, groups } = createStage(RECORD_BYTES);
  const outcomes = Promise.allSettled(['a', 'b'].map((text) => queue.append([record(text, 100)], 0)));
  let isDrained = false;
  const draining = queue.drain().then(() => {
    isDrained = true;
  });
  await expect(queue.append([record('late')], 0)).rejects.toMatchObject({ code: 'log_closed' });
  await turn();
  groups[0]?.finish(new Error('disk full'));
  await turn();
  expect(isDrained).toBe(false);
  groups[1]?.finish();
  await draining;
  expect((await outcomes).map((o) => o.status)).toEqual(['rejected', 'fulfilled']);
});
