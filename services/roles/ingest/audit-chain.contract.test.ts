import { expect, onTestFinished, test, vi } from 'vitest';
import { blockRecords } from '../../ingest/block-records.ts';
import type { BlockSource, FetchResult } from '../../ingest/nodes/block-source.ts';
import { SourceError } from '../../ingest/nodes/source-error.ts';
import { FinishedRanges, type RangeIngested } from '../../ingest/range/finished-ranges.ts';
import type { DecodedBlock } from '../../investigate/model/block.ts';
import { openCodec } from '../../platform/avro/codec.ts';
import { buildBlock } from '../../testing/build-block.ts';
import { range, SinkStage } from '../../testing/sink-stage.ts';
import { type AuditOptions, auditChain } from './audit-chain.ts';
import { FILL_MS, KnownGaps } from './fill-gaps.ts';

const stage = new SinkStage();
const NEVER = new AbortController().signal;
const HEAD_PARTITION = 0;
const neverPassed = (error: Error): never => {
  throw error;
};

/** Slots 103 and 104 are skipped: 105 builds on 102. */
const CHAIN = range(100, 20)
  .filter(({ number }) => number !== 103 && number !== 104)
  .map(
    (block): DecodedBlock =>
      block.number === 105 ? { ...block, parentNumber: 102, parentHash: 'block-102' } : block,
  );

const sourceOf = (blocks: readonly DecodedBlock[], final: number): BlockSource => ({
  chain: 'solana',
  head: async () => final,
  fetch: async (number) => {
    const decoded = blocks.find((block) => block.number === number);
    if (decoded) return { status: 'block', decoded };
    if (!CHAIN.some((block) => block.number === number)) return { status: 'skipped' };
    throw new SourceError('block_unavailable', `no node has ${number}`, { transient: false });
  },
});

/** An audit by one auditor; the sink fills the tables with what it finds. */
const newAuditor = (source: BlockSource) => {
  const events = { stored: () => {}, problem: () => {}, waiting: () => {} };
  const options: AuditOptions = {
    store: stage.store,
    warehouse: stage.warehouse,
    source,
    known: new KnownGaps(),
    passedOver: neverPassed,
    events,
  };
  return () => auditChain(options, NEVER);
};

const without = (...numbers: number[]) => CHAIN.filter(({ number }) => !numbers.includes(number));

const appendToHead = (blocks: readonly DecodedBlock[]) =>
  stage.store.log.append(
    blocks.flatMap((block) =>
      blockRecords(block, stage.store.encodeBlock, {
        topic: 'transfers.head',
        partition: HEAD_PARTITION,
        key: 'solana',
      }),
    ),
  );

const REST_OF_CLAIM = {
  ...{ chain: 'solana', blocks: 18, movements: 0 },
  ...{ first_parent_hash: '', last_block_hash: '' },
};

/** A range that the log calls done, with only some of its blocks. */
const claimRange = async (
  blocks: readonly DecodedBlock[],
  claim: Pick<RangeIngested, 'first' | 'last' | 'last_block'>,
) => {
  const codec = await openCodec<RangeIngested>(stage.store.registry, 'RangeIngested');
  const finished = await FinishedRanges.read(stage.store.log, codec, neverPassed);
  await stage.append(stage.encoded(...blocks));
  await stage.store.log.append([finished.note({ ...REST_OF_CLAIM, ...claim })]);
};

test('blocks missing behind the head are found by their links and filled again, skipped slots are not', async () => {
  const sink = stage.sink();
  // What nobody can read is no beginning.
  await stage.append([Buffer.from('no record of ours')], HEAD_PARTITION, 'transfers.head');
  await appendToHead(without(107, 108, 112));
  const audit = newAuditor(sourceOf(CHAIN, 119));
  expect(await audit()).toEqual({
    refilled: [
      { first: 107, last: 108 },
      { first: 112, last: 112 },
    ],
    open: [],
  });
  expect(await audit()).toEqual({ refilled: [], open: [] });
  await sink.stop();
  await stage.expectTables(CHAIN);
});

test('the first and the last blocks of a range that the log calls done are missed too', async () => {
  const sink = stage.sink();
  const claim = { first: 98, last: 119, last_block: 119 };
  await claimRange(without(100, 101, 118, 119), claim);
  expect(await newAuditor(sourceOf(CHAIN, 119))()).toEqual({
    refilled: [
      { first: 98, last: 101 },
      { first: 118, last: 119 },
    ],
    open: [],
  });
  await stage.untilStored(sink);
  await sink.stop();
  await stage.expectTables(CHAIN);
});

test('a gap that head and range both claim is filled once, and not open then', async () => {
  const sink = stage.sink();
  await appendToHead(without(110, 114, 115));
  await claimRange([], { first: 105, last: 114, last_block: 114 });
  expect(await newAuditor(sourceOf(CHAIN, 119))()).toEqual({
    refilled: [
      { first: 110, last: 110 },
      { first: 114, last: 115 },
    ],
    open: [],
  });
  await stage.untilStored(sink);
  await sink.stop();
  await stage.expectTables(CHAIN);
});

test('only final blocks are claimed of the head, and nothing where nobody claims anything', async () => {
  const sink = stage.sink();
  // Files somebody replayed: between them nothing was promised.
  await stage.append(stage.encoded(...without(106, 107, 108)));
  const audit = newAuditor(sourceOf(CHAIN, 119));
  expect(await audit()).toEqual({ refilled: [], open: [] });
  await appendToHead(CHAIN.filter(({ number }) => number > 110 && number !== 117));
  expect(await newAuditor(sourceOf(CHAIN, 116))()).toEqual({ refilled: [], open: [] });
  await sink.stop();
});

test('a gap that no node can fill stays open, and is not tried for ever', async () => {
  const sink = stage.sink();
  const holes = without(107, 112);
  await appendToHead(holes);
  const audit = newAuditor(sourceOf([...holes, ...CHAIN.filter(({ number }) => number === 112)], 119));
  const lacking = { first: 107, last: 107 };
  expect(await audit()).toEqual({ refilled: [{ first: 112, last: 112 }], open: [lacking] });
  expect(await audit()).toEqual({ refilled: [], open: [lacking] });
  await sink.stop();
});

test.each([
  ['says that it is past', async (): Promise<FetchResult> => ({ status: 'not_yet' })],
  [
    'fails to tell',
    async (): Promise<FetchResult> => {
      throw new SourceError('unreachable', 'no answer', { transient: true });
    },
  ],
])('an audit of a gap that every node %s ends, and the gap is open', async (_, fetch) => {
  const sink = stage.sink();
  await appendToHead(without(107));
  const audit = newAuditor({ ...sourceOf(CHAIN, 119), fetch });
  expect(await audit()).toEqual({ refilled: [], open: [{ first: 107, last: 107 }] });
  await sink.stop();
});

const stranger = (number: number, parentHash: string): DecodedBlock => ({
  ...(CHAIN.find((block) => block.number === number) as DecodedBlock),
  hash: `stranger-${number}`,
  parentHash,
});

test.each([
  ['on which the known one behind it does not build', [stranger(107, 'block-106')]],
  ['that builds on another than the known one before it', [{ ...stranger(107, 'other'), hash: 'block-107' }]],
  ['that the chain is said to have skipped', []],
])(
  'a gap is not filled with a block %s, and stays open until a node gives the right one',
  async (_, given) => {
    const sink = stage.sink();
    await appendToHead(without(107));
    let fetch: BlockSource['fetch'] = async (number) => {
      const decoded = given.find((block) => block.number === number);
      return decoded ? { status: 'block', decoded } : { status: 'skipped' };
    };
    const audit = newAuditor({ ...sourceOf(CHAIN, 119), fetch: (...asked) => fetch(...asked) });
    const gap = { first: 107, last: 107 };
    expect(await audit()).toEqual({ refilled: [], open: [gap] });
    fetch = sourceOf(CHAIN, 119).fetch;
    expect(await audit()).toEqual({ refilled: [gap], open: [] });
    await stage.untilStored(sink);
    await sink.stop();
    await stage.expectTables(CHAIN);
  },
);

test('a gap is found and filled also behind a thousand that stay open', async () => {
  const sink = stage.sink();
  const empty = (number: number): DecodedBlock => ({
    ...buildBlock({ chain: 'solana', number, timeUnixSeconds: 1_700_000_000, transactions: [] }),
    hash: `block-${number}`,
    parentHash: `block-${number - 1}`,
    parentNumber: number - 1,
  });
  const chain = Array.from({ length: 2_105 }, (_, i) => empty(i));
  const last = { first: 2_103, last: 2_103 };
  const isLost = (number: number) => number % 2 === 1 && number < 2_100;
  await appendToHead(chain.filter(({ number }) => !isLost(number) && number !== last.first));
  const audit = newAuditor({
    ...sourceOf(CHAIN, 2_104),
    fetch: async (number) => {
      const decoded = chain[number];
      if (decoded && !isLost(number)) return { status: 'block', decoded };
      throw new SourceError('block_unavailable', `no node has ${number}`, { transient: false });
    },
  });
  const { refilled, open } = await audit();
  expect({ refilled, open: open.length }).toEqual({ refilled: [last], open: 1_050 });
  await sink.stop();
});

test('gaps that take an audit too long are gone on with in the next, those first that were not tried', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const sink = stage.sink();
  await appendToHead(without(107, 112));
  const asked: number[] = [];
  const audit = newAuditor({
    ...sourceOf(CHAIN, 119),
    fetch: async (number) => {
      asked.push(number);
      vi.advanceTimersByTime(FILL_MS);
      throw new SourceError('block_unavailable', `no node has ${number}`, { transient: false });
    },
  });
  const open = [
    { first: 107, last: 107 },
    { first: 112, last: 112 },
  ];
  expect(await audit()).toEqual({ refilled: [], open });
  expect(await audit()).toEqual({ refilled: [], open: open.toReversed() });
  expect(await audit()).toEqual({ refilled: [], open });
  expect(asked).toEqual([107, 112, 107]);
  await sink.stop();
});
