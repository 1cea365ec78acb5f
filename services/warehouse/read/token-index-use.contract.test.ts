import { expect, test } from 'vitest';
import type { TokenReader } from '../../investigate/model/token-reader.ts';
import { granules, IndexStage } from '../../testing/index-stage.ts';
import { createTokenReader } from './create-token-reader.ts';

const stage = new IndexStage();
const chain = 'solana';
const limits = { signal: new AbortController().signal, timeoutMs: 20_000 };

type Question = (reader: TokenReader, wallet: string) => Promise<unknown>;
const QUESTIONS: readonly (readonly [string, Question])[] = [
  [
    'balance',
    (reader, wallet) => reader.balance({ chain, canonicalAsset: 'native' }, [wallet, 'other'], limits),
  ],
  [
    'trades',
    (reader, wallet) => reader.trades({ chain, token: 'native', limit: 100 }, [wallet, 'other'], limits),
  ],
];

test.each(QUESTIONS)('%s reads a few granules of its table, found by its key', async (_, ask) => {
  const wallet = await stage.busyWallet();
  const { client, plans } = stage.explaining();
  await ask(createTokenReader(client), wallet);
  const shares = plans.flatMap(granules);
  expect(shares).toHaveLength(1);
  for (const { read } of shares) expect(read).toBeLessThanOrEqual(6);
});

test('a launch is read from its block on, and not the blocks before it', async () => {
  const { client, plans } = stage.explaining();
  const reader = createTokenReader(client);
  const late = { token: 'native', fromBlock: 195, toUnixSeconds: 4_294_967_295 };
  await reader.tokenMovements({ chain, limit: 10 }, [late], limits);
  const [transfers] = plans.flatMap(granules).sort((a, b) => b.all - a.all);
  expect(transfers?.all).toBeGreaterThan(100);
  expect(transfers?.read).toBeLessThan((transfers?.all ?? 0) / 10);
});
