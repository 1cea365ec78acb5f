import { expect, test } from 'vitest';
import { move, tellStory } from '../../../testing/chain-story.ts';
import { createMemoryReader } from '../../../testing/memory-reader.ts';
import type { FlowsRequest, TransferReader } from '../../model/transfer-reader.ts';
import { readAhead } from './read-ahead.ts';

const reader = createMemoryReader(
  tellStory('solana', [
    { time: 10, moves: [move('alice', 'bob', 100n), move('alice', 'carol', 40n)] },
    { time: 20, moves: [move('bob', 'dave', 90n)] },
    { time: 30, moves: [move('bob', 'erin', 10n)] },
    { time: 40, moves: [move('carol', 'dave', 40n)] },
  ]),
);
const passage: FlowsRequest = {
  ...{ chain: 'solana', wallet: 'alice', canonicalAsset: 'native', ownOnly: false, transfersOnly: true },
  from: { blockTime: 10, blockNumber: 10, txIndex: 0, step: 0 },
  ...{ aheadRaw: 50n, limit: 10, signal: new AbortController().signal, timeoutMs: 1_000 },
};
const bob: FlowsRequest = { ...passage, wallet: 'bob' };

const counted = (of: Partial<TransferReader> = {}) => {
  const asked: string[] = [];
  const ahead = readAhead({
    ...reader,
    departures: (request) => {
      asked.push(request.wallet);
      return (of.departures ?? reader.departures)(request);
    },
  });
  return { asked, ahead };
};

test('whoever got most of the money is not asked for again, and is answered as if', async () => {
  const { asked, ahead } = counted();
  await ahead.departures(passage);
  const later = { ...bob, from: { blockTime: 25, blockNumber: 25, txIndex: 0, step: 0 } };
  for (const request of [bob, later]) {
    const { rows, next } = await reader.departures(request);
    expect(await ahead.departures(request)).toEqual({ rows, next });
  }
  expect(asked).toEqual(['alice']);
});

test.each<[string, Partial<FlowsRequest>]>([
  ['another wallet', { wallet: 'carol' }],
  ['another asset', { canonicalAsset: 'mint' }],
  ['another chain', { chain: 'base' }],
  ['swaps too', { transfersOnly: false }],
  ["the wallet's own transactions only", { ownOnly: true }],
  ['an earlier time', { from: { blockTime: 9, blockNumber: 9, txIndex: 0, step: 0 } }],
  ['fewer rows than came', { limit: 1 }],
])('%s is asked for', async (_, other) => {
  const { asked, ahead } = counted();
  await ahead.departures(passage);
  const request = { ...bob, ...other };
  expect(await ahead.departures(request)).toEqual(await reader.departures(request));
  expect(asked).toEqual(['alice', request.wallet]);
});

test('what came ahead of a wallet that the trail did not go to is forgotten', async () => {
  const { asked, ahead } = counted();
  for (const wallet of ['alice', 'carol', 'bob']) await ahead.departures({ ...passage, wallet });
  expect(asked).toEqual(['alice', 'carol', 'bob']);
});

test('a question that fails fails, and what had come ahead before it stands', async () => {
  const { ahead } = counted({
    departures: (request) =>
      request.wallet === 'carol' ? Promise.reject(new Error('down')) : reader.departures(request),
  });
  await ahead.departures(passage);
  await expect(ahead.departures({ ...passage, wallet: 'carol' })).rejects.toThrow('down');
  expect((await ahead.departures(bob)).rows).toHaveLength(2);
});
