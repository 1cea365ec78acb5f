import { expect, test } from 'vitest';
import type { CaseReader } from '../../investigate/model/case-reader.ts';
import { granules, IndexStage } from '../../testing/index-stage.ts';
import { createCaseReader } from './create-case-reader.ts';

const stage = new IndexStage();
const chain = 'solana';
const limits = { signal: new AbortController().signal, timeoutMs: 20_000 };
const times = { fromUnixSeconds: 0, toUnixSeconds: 1_800_000_000, limit: 1_000 };
const positions = [3, 190].map((blockNumber) => ({ blockTime: 0, blockNumber, txIndex: 1 }));

type Question = (reader: CaseReader, wallet: string) => Promise<unknown>;
const QUESTIONS: readonly (readonly [string, Question])[] = [
  ['receipts', (reader, wallet) => reader.receipts({ chain, ...times }, [wallet], limits)],
  ['signed', (reader, wallet) => reader.signed({ chain, ...times }, [wallet], limits)],
  ['movementsAt', (reader) => reader.movementsAt({ chain, limit: 1_000 }, positions, limits)],
  ['payments', (reader, wallet) => reader.payments({ chain, wallet, limit: 10 }, ['other'], limits)],
  ['firstReceipts', (reader, wallet) => reader.firstReceipts({ chain }, [wallet, 'other'], limits)],
  [
    'takenFrom',
    (reader, wallet) => {
      const holdings = [{ wallet, canonicalAsset: 'native' }];
      return reader.takenFrom({ chain, limit: 1_000 }, [{ holdings, sinceUnixSeconds: 0 }], limits);
    },
  ],
  ['handled', (reader, wallet) => reader.handled({ chain }, [{ wallet, canonicalAsset: 'native' }], limits)],
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
