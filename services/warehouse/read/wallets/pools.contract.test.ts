import { beforeAll, expect, test } from 'vitest';
import { NATIVE } from '../../../investigate/model/movement.ts';
import { move, type StoryStep, tellStory } from '../../../testing/chain-story.ts';
import { createMemoryReader } from '../../../testing/memory-reader.ts';
import { TableStage } from '../../../testing/table-stage.ts';
import { createTransferReader } from '../create-transfer-reader.ts';

const BEGIN = 1_700_000_000;
const POOLS = ['early', 'late', 'dusted', 'labelled', 'key'];
const stage = new TableStage();

const called = (subject: string): StoryStep => ({
  ...{ time: BEGIN, by: 'someone' },
  controls: [{ kind: 'calls', subject, holder: null, party: null, amountRaw: 1n }],
});
const paidBy3 = (to: string, time: number, amountRaw: bigint): StoryStep[] =>
  [1, 2, 3].map((at) => ({
    ...{ time: time + at, by: `payer ${at}` },
    moves: [move(`payer ${at}`, to, amountRaw)],
  }));
const STORY = tellStory('ethereum', [
  ...['early', 'late', 'dusted'].map(called),
  ...paidBy3('early', BEGIN + 100, 50n),
  ...paidBy3('late', BEGIN + 900, 50n),
  ...[...paidBy3('dusted', BEGIN + 100, 2n), ...paidBy3('labelled', BEGIN + 100, 50n)],
  ...paidBy3('key', BEGIN + 100, 50n),
]);

beforeAll(() => stage.insert(STORY));

test('each recipient is judged by its own time and its own least amount, in one query of many', async () => {
  const recipients = POOLS.map((address) => ({
    ...{ address, isLabelled: address === 'labelled', leastRaw: address === 'early' ? 1n : 10n },
    ...{ fromUnixSeconds: BEGIN, toUnixSeconds: BEGIN + (address === 'dusted' ? 2_000 : 500) },
  }));
  const asked = {
    ...{ chain: 'ethereum', canonicalAsset: NATIVE, payersMin: 3, recipients },
    ...{ signal: new AbortController().signal, timeoutMs: 20_000 },
  };
  const pools = await createTransferReader(stage.warehouse.reader).pools(asked);
  expect([...pools].sort()).toEqual(['early', 'labelled']);
  expect(await createMemoryReader(STORY).pools(asked)).toEqual(pools);
});
