import { expect, test } from 'vitest';
import type { TokenReader } from '../../investigate/model/token-reader.ts';
import { granules, IndexStage } from '../../testing/index-stage.ts';
import { createTokenReader } from './create-token-reader.ts';

const stage = new IndexStage();
const asked = { chain: 'solana', token: 'native', signal: new AbortController().signal, timeoutMs: 20_000 };

type Question = (reader: TokenReader, wallet: string) => Promise<unknown>;
const QUESTIONS: readonly (readonly [string, Question])[] = [
  ['balances', (reader, wallet) => reader.balances({ ...asked, wallets: [wallet, 'other'] })],
  ['trades', (reader, wallet) => reader.trades({ ...asked, wallets: [wallet, 'other'], limit: 100 })],
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
  await reader.tokenMovements({ ...asked, fromBlock: 195, toUnixSeconds: 4_294_967_295, limit: 10 });
  const [transfers] = plans.flatMap(granules).sort((a, b) => b.all - a.all);
  expect(transfers?.all).toBeGreaterThan(100);
  expect(transfers?.read).toBeLessThan((transfers?.all ?? 0) / 10);
});
