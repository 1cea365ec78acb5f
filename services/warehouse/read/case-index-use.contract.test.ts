import { expect, test } from 'vitest';
import type { CaseReader } from '../../investigate/model/case-reader.ts';
import { granules, IndexStage } from '../../testing/index-stage.ts';
import { createCaseReader } from './create-case-reader.ts';

const stage = new IndexStage();
const solana = { chain: 'solana', signal: new AbortController().signal, timeoutMs: 20_000 };
const times = { fromUnixSeconds: 0, toUnixSeconds: 1_800_000_000, limit: 1_000 };
const positions = [3, 190].map((blockNumber) => ({ blockTime: 0, blockNumber, txIndex: 1 }));

type Question = (reader: CaseReader, wallet: string) => Promise<unknown>;
const QUESTIONS: readonly (readonly [string, Question])[] = [
  ['receipts', (reader, wallet) => reader.receipts({ ...solana, wallet, ...times })],
  ['signed', (reader, wallet) => reader.signed({ ...solana, wallet, ...times })],
  ['movementsAt', (reader) => reader.movementsAt({ ...solana, positions, limit: 1_000 })],
  ['payments', (reader, wallet) => reader.payments({ ...solana, wallet, to: ['other'], limit: 10 })],
  ['firstReceipts', (reader, wallet) => reader.firstReceipts({ ...solana, wallets: [wallet, 'other'] })],
  [
    'takenFrom',
    (reader, wallet) => {
      const holdings = [{ wallet, canonicalAsset: 'native' }];
      return reader.takenFrom({ ...solana, holdings, sinceUnixSeconds: 0, limit: 1_000 });
    },
  ],
  [
    'handled',
    (reader, wallet) => reader.handled({ ...solana, holdings: [{ wallet, canonicalAsset: 'native' }] }),
  ],
];

test.each(QUESTIONS)('%s reads a few granules of its table, found by their keys', async (_, ask) => {
  const wallet = await stage.busyWallet();
  const { client, plans } = stage.explaining();
  await ask(createCaseReader(client), wallet);
  const shares = plans.flatMap(granules);
  expect(shares).toHaveLength(1);
  for (const { read, all } of shares) {
    expect(read).toBeLessThanOrEqual(6);
    expect(all).toBeGreaterThan(100);
  }
});
