import { beforeEach, expect, test } from 'vitest';
import type { LabelEvent } from '../../events/label-events.ts';
import type { AssertedLabel } from '../../investigate/model/label.ts';
import { buildLabel } from '../../testing/build-label.ts';
import { DeriveStage, payment, START, SWEPT_TWICE } from '../../testing/derive-stage.ts';
import { insertLabels } from '../labels/insert-labels.ts';
import { hideRetracted } from '../sink/hide-retracted.ts';
import { depositAddresses } from './deposit-addresses.ts';
import { assertDepositLabels } from './deposit-labels.ts';

const stage = new DeriveStage();
beforeEach(() => stage.empty());

const store = (event: LabelEvent) =>
  insertLabels(stage.warehouse.writer, [{ sequence: stage.takeSequence(), event }]);

const list = (label: Partial<AssertedLabel>) =>
  store({
    type: 'LabelAsserted',
    label: buildLabel({ address: 'box', kind: 'hack', name: 'a thief', ...label }),
  });

/** Says what there is to say since this event, null for everything, and gives it as events that have reached the tables. */
const compare = async (begin: number | null, nowUnixSeconds = START): Promise<LabelEvent[]> => {
  const events: LabelEvent[] = [];
  const record = { topic: 'labels', key: '', value: Buffer.alloc(0) };
  const note = (event: LabelEvent) => {
    events.push(event);
    return record;
  };
  await assertDepositLabels(stage.warehouse.writer, {
    labels: {
      assert: (label) => note({ type: 'LabelAsserted', label }),
      revoke: (revocation) => note({ type: 'LabelRevoked', revocation }),
    },
    append: async () => {},
    nowUnixSeconds,
    since: begin === null ? null : [{ lane: 0, begin, end: stage.nextSequence }],
    signal: new AbortController().signal,
  });
  for (const event of events) await store(event);
  return events;
};
const typesOf = (events: readonly LabelEvent[]): string[] => events.map(({ type }) => type);

test('labels are compared where a run judged or somebody said something, and otherwise left alone', async () => {
  await stage.nameHot('solana', { hot: 'alder' });
  await stage.insert(SWEPT_TWICE.map((row, index) => payment(row, index)));
  await stage.derive([depositAddresses]);
  expect(typesOf(await compare(stage.nextSequence))).toEqual(['LabelAsserted']);
  expect(await compare(null)).toEqual([]);
  // Another run judges nobody here.
  await stage.insert([payment(['cem', 'dan', 1, 50], 10)]);
  await stage.derive([depositAddresses]);
  const before = stage.nextSequence;
  await list({});
  expect(await compare(stage.nextSequence)).toEqual([]);
  expect(typesOf(await compare(before))).toEqual(['LabelRevoked']);
});

test('what a list says goes before what an address looks like until it ends, and not a day longer', async () => {
  await stage.nameHot('solana', { hot: 'alder' });
  await list({ validTo: START - 86_400 });
  await list({ name: 'another thief', validTo: START + 100 });
  await stage.insert(SWEPT_TWICE.map((row, index) => payment(row, index)));
  await stage.derive([depositAddresses]);
  expect(await compare(null)).toEqual([]);
  await stage.insert([payment(['cem', 'dan', 1, 50], 10)]);
  await stage.derive([depositAddresses]);
  expect(await compare(stage.nextSequence, START + 99)).toEqual([]);
  expect(typesOf(await compare(stage.nextSequence, START + 100))).toEqual(['LabelAsserted']);
});

test('the evidence names a transaction that stands, though an abandoned block had one in its place', async () => {
  await stage.nameHot('solana', { hot: 'alder' });
  const blocks = SWEPT_TWICE.map((row, index) => payment(row, index));
  const abandoned = blocks.slice(-1).map((block) => ({
    ...block,
    hash: 'abandoned',
    transactions: block.transactions.map((each) => ({ ...each, hash: 'gone' })),
  }));
  const sequence = stage.nextSequence;
  await stage.insert(abandoned);
  await hideRetracted(stage.warehouse.writer, [sequence]);
  await stage.insert(blocks);
  await stage.derive([depositAddresses]);
  expect(await compare(null)).toMatchObject([
    { label: { evidence: expect.stringMatching(/; the last one in pay-3$/) } },
  ]);
});
