import { afterAll, beforeAll, expect, test } from 'vitest';
import type { DecodedBlock } from '../../investigate/model/block.ts';
import { startScriptedNode } from '../../testing/nodes/scripted-node.ts';
import { transaction } from '../../testing/solana/build-transaction.ts';
import { payer, SOL } from '../../testing/solana/tell-rows.ts';
import { createWorld } from '../../testing/world/create-world.ts';
import { type ServedWorld, serveWorld } from '../../testing/world/rpc/serve-world.ts';
import { worldBlocks } from '../../testing/world/world-blocks.ts';
import { createSolanaWalletSource } from './fetch-solana-wallet.ts';

const OPTIONS = { seed: 5, people: 8, days: 1, blockSeconds: 600 };
const NEVER = new AbortController().signal;
const WALLET = '11111111111111111111111111111112';
const ONCE = { attempts: 1, firstWaitMs: 0, longestWaitMs: 0 };
let served: ServedWorld;
beforeAll(async () => {
  served = await serveWorld(createWorld(OPTIONS));
});
afterAll(() => served.close());

const blocks = [...worldBlocks(OPTIONS)].filter(({ chain }) => chain === 'solana');

/** The wallets with the most transactions, busiest first, and what their blocks tell of those. */
const busiest = (count: number) => {
  const byWallet = new Map<string, Map<string, DecodedBlock>>();
  for (const block of blocks) {
    const hashes = new Map<number | null, string>(
      block.transactions.map(({ txIndex, hash }) => [txIndex, hash]),
    );
    for (const { from, to, txIndex } of block.movements) {
      const hash = hashes.get(txIndex);
      if (hash === undefined) continue;
      for (const wallet of [from, to]) {
        if (wallet === null) continue;
        byWallet.set(wallet, (byWallet.get(wallet) ?? new Map()).set(hash, block));
      }
    }
  }
  return [...byWallet].sort(([, a], [, b]) => b.size - a.size).slice(0, count);
};

const readAll = async (wallet: string, transactionsMax: number) => {
  const source = createSolanaWalletSource({ chain: 'solana', url: `${served.url}/solana` });
  const reading = source.read(wallet, { transactionsMax }, NEVER);
  const read = new Map<string, DecodedBlock>();
  for (;;) {
    const next = await reading.next();
    if (next.done) return { read, coverage: next.value };
    read.set(next.value.transactions[0]?.hash ?? '', next.value);
  }
};

/** What a transaction moved, wherever it stands. */
const movedBy = (block: DecodedBlock | undefined, hash: string) => {
  const txIndex = block?.transactions.find((transaction) => transaction.hash === hash)?.txIndex;
  return block?.movements.flatMap(({ txIndex: at, ...movement }) => (at === txIndex ? [movement] : []));
};

test('every transaction that moved something of a wallet is read, as its block tells it', async () => {
  for (const [wallet, transactions] of busiest(4)) {
    const { read, coverage } = await readAll(wallet, 10_000);
    expect(coverage).toBe('complete');
    for (const [hash, block] of transactions) {
      expect(movedBy(read.get(hash), hash), hash).toEqual(movedBy(block, hash));
      expect(read.get(hash)).toMatchObject({ number: block.number, timeUnixSeconds: block.timeUnixSeconds });
    }
  }
});

test('the newest so many are read, and that there are more is said', async () => {
  const [[wallet, transactions] = ['', new Map<string, DecodedBlock>()]] = busiest(1);
  const { read, coverage } = await readAll(wallet, 3);
  expect(coverage).toBe('older_left_out');
  expect(read.size).toBeLessThanOrEqual(3);
  const newest = Math.max(...[...transactions.values()].map(({ number }) => number));
  expect([...read.values()][0]?.number).toBeGreaterThanOrEqual(newest);
});

test('a wallet that nobody ever named has no transactions, and that is complete', async () => {
  const { read, coverage } = await readAll(WALLET, 10);
  expect([read.size, coverage]).toEqual([0, 'complete']);
});

/** A wallet of one transaction, of a node that answers for it as told. */
const readOne = async (answer: unknown) => {
  const results: Readonly<Record<string, unknown>> = {
    getTokenAccountsByOwner: { value: [] },
    getSignaturesForAddress: [{ signature: 's', slot: 100 }],
    getTransaction: answer,
  };
  const node = await startScriptedNode({ answer: ({ method }) => ({ result: results[method] }) });
  const source = createSolanaWalletSource({ chain: 'solana', url: node.url, retry: ONCE });
  const reading = source.read(WALLET, { transactionsMax: 5 }, NEVER);
  const { value, done } = await reading.next();
  return done ? value : value.movements.length;
};

test('a node whose answer for a transaction cannot be decoded is said to have failed, not to know of none', async () => {
  const sound = { ...transaction({ accounts: [payer(SOL, 0n)], instructions: [] }), slot: 100, blockTime: 1 };
  expect(await readOne(sound)).toBe(1);
  const postBalances = [...(sound.meta?.postBalances ?? []), 1];
  for (const meta of [null, { ...sound.meta, postBalances }]) {
    const reading = readOne({ ...sound, meta });
    await expect(reading).rejects.toMatchObject({ name: 'SourceError', code: 'malformed' });
  }
});

test.each(['getTokenAccountsByOwner', 'getSignaturesForAddress'])(
  'a node that answers %s with anything else than its list is said to have failed',
  async (method) => {
    for (const result of [null, {}, { value: null }, { value: [{}] }, [null], [{ signature: 5 }]]) {
      const node = await startScriptedNode({
        answer: (call) => ({
          result:
            call.method === method ? result : call.method === 'getTokenAccountsByOwner' ? { value: [] } : [],
        }),
      });
      const source = createSolanaWalletSource({ chain: 'solana', url: node.url, retry: ONCE });
      const reading = source.read(WALLET, { transactionsMax: 5 }, NEVER);
      await expect(reading.next(), JSON.stringify(result)).rejects.toMatchObject({ name: 'SourceError' });
    }
  },
);
