import { afterAll, beforeAll, expect, test } from 'vitest';
import { createWorld } from '../../../demo-world/create-world.ts';
import { type ServedWorld, serveWorld } from '../../../demo-world/rpc/serve-world.ts';
import { worldBlocks } from '../../../demo-world/world-blocks.ts';
import type { DecodedBlock } from '../../../investigate/model/block.ts';
import { readAddress } from '../../../testing/nodes/read-address.ts';
import { startScriptedNode } from '../../../testing/nodes/scripted-node.ts';
import {
  join,
  keyBytes,
  keyOf,
  systemTransfer,
  TOKEN_2022,
  tokenTransfer,
  transaction,
  u64,
  WRAPPED_SOL,
} from '../../../testing/solana/build-transaction.ts';
import { holding, payer, SOL, wrapped } from '../../../testing/solana/tell-rows.ts';
import { openSolanaNode } from './open-solana-node.ts';

const OPTIONS = { seed: 5, people: 8, days: 1, blockSeconds: 600 };
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

const readAll = async (wallet: string, limit: number) => {
  const opened = openSolanaNode({ chain: 'solana', url: `${served.url}/solana` });
  const { blocks, coverage } = await readAddress(opened, { address: wallet, limit });
  return { read: new Map(blocks.map((block) => [block.transactions[0]?.hash ?? '', block])), coverage };
};

/** What a transaction moved, and where it stands. */
const movedBy = (block: DecodedBlock | undefined, hash: string) => {
  const txIndex = block?.transactions.find((transaction) => transaction.hash === hash)?.txIndex;
  return block?.movements.filter((movement) => movement.txIndex === txIndex);
};

test('every transaction that moved something of a wallet is read, as its block tells it', async () => {
  const coverages = new Set<string>();
  for (const [wallet, transactions] of busiest(4)) {
    const { read, coverage } = await readAll(wallet, 10_000);
    coverages.add(coverage);
    for (const [hash, block] of transactions) {
      expect(movedBy(read.get(hash), hash), hash).toEqual(movedBy(block, hash));
      expect(read.get(hash)).toMatchObject({ number: block.number, timeUnixSeconds: block.timeUnixSeconds });
    }
  }
  // Of what some wallets of the world had before its first block no transaction tells.
  expect(coverages).toEqual(new Set(['complete', 'coin_transfers_left_out', 'transfers_left_out']));
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

const NOTHING = { context: { slot: 200 }, value: [] };

const isError = (answer: unknown): answer is { readonly error: { code: number; message: string } } =>
  typeof answer === 'object' && answer !== null && 'error' in answer;

/** A wallet of one transaction, of a node that answers for it as told; it has no accounts of Token-2022. */
const readOne = async (answer: unknown, others: Readonly<Record<string, unknown>> = {}) => {
  const results: Readonly<Record<string, unknown>> = {
    getSlot: 200,
    getTransactionsForAddress: { error: { code: -32_601, message: 'Method not found' } },
    getBlocksWithLimit: [],
    getBlock: { signatures: ['s'] },
    getTokenAccountsByOwner: NOTHING,
    getBalance: { context: { slot: 200 }, value: 0 },
    getSignaturesForAddress: [{ signature: 's', slot: 100 }],
    getTransaction: answer,
    ...others,
  };
  const node = await startScriptedNode({
    answer: ({ method, params }) => {
      const result = JSON.stringify(params).includes(TOKEN_2022) ? NOTHING : results[method];
      return isError(result) ? result : { result };
    },
  });
  const opened = openSolanaNode({ chain: 'solana', url: node.url, retry: ONCE });
  const { blocks, coverage } = await readAddress(opened, { address: keyOf('bob'), limit: 5 });
  return {
    movements: blocks.reduce((sum, block) => sum + block.movements.length, 0),
    coverage,
    blocks,
    node,
  };
};

/** Bob is paid 50 lamports, 700 tokens and 9 wrapped lamports; `kept` of the tokens is left in the end. */
const paid = (kept: bigint) => ({
  ...transaction({
    accounts: [
      payer(SOL, 50n),
      { name: 'bob', before: 0n, after: 50n },
      holding('alice tokens', 'alice', 700n, 700n - kept),
      holding('bob tokens', 'bob', 0n, kept),
      wrapped('alice wrapped', 'alice', 9n, 0n),
      wrapped('bob wrapped', 'bob', 0n, 9n),
    ],
    instructions: [
      systemTransfer('alice', 'bob', 50n),
      tokenTransfer('alice tokens', 'bob tokens', 'alice', kept),
      tokenTransfer('alice wrapped', 'bob wrapped', 'alice', 9n),
    ],
  }),
  ...{ slot: 100, blockTime: 1 },
});
const lamports = (value: number, slot = 200) => ({ getBalance: { context: { slot }, value } });
const tokenAccounts = (...held: readonly (readonly [string, bigint])[]) => {
  const value = held.map(([mint, amount]) => {
    const data = Buffer.from(join(keyBytes(mint), keyBytes('bob'), u64(amount))).toString('base64');
    return { pubkey: keyOf(`${mint} of bob`), account: { data: [data, 'base64'] } };
  });
  return { ...NOTHING, value };
};
const holds = (tokens: bigint, wrappedRaw: bigint) => ({
  getTokenAccountsByOwner: tokenAccounts(['mint', tokens], [WRAPPED_SOL, wrappedRaw]),
});

test('a history is complete where its rows add up to all that the wallet has, what is wrapped among it', async () => {
  expect(await readOne(paid(700n), { ...lamports(50), ...holds(700n, 9n) })).toMatchObject({
    coverage: 'complete',
  });
});

test.each([
  ['coin that no transaction brought it', { ...lamports(60), ...holds(700n, 9n) }, 'coin_transfers_left_out'],
  ['tokens that none took away', { ...lamports(50), ...holds(600n, 9n) }, 'transfers_left_out'],
  [
    'wrapped coin that no transaction brought it',
    { ...lamports(50), ...holds(700n, 10n) },
    'coin_transfers_left_out',
  ],
  ['tokens whose account is closed', lamports(59), 'transfers_left_out'],
  ['what came while it was read', { ...lamports(50, 99), ...holds(700n, 9n) }, 'transfers_left_out'],
])('a history is not complete that leaves out %s', async (_, answers, coverage) => {
  expect(await readOne(paid(700n), answers)).toMatchObject({ coverage });
});

test('a transaction of version 1 is asked for and read; one that is newer is left out, and that is said', async () => {
  const all = { ...lamports(50), ...holds(700n, 9n) };
  const { movements } = await readOne({ ...paid(700n), version: 1 }, all);
  expect(movements).toBe(4);
  const refused = { error: { code: -32_015, message: 'Transaction version (2) is not supported' } };
  for (const newer of [refused, { ...paid(700n), version: 2 }])
    expect(await readOne(newer, all)).toMatchObject({ movements: 0, coverage: 'transfers_left_out' });
});

test('a transaction stands where the list of its block has it, which is not asked for where the list of the wallet tells it', async () => {
  const txIndex = 2;
  const asked = await readOne(paid(700n), { getBlock: { signatures: ['a', 'b', 's'] } });
  const told = await readOne(paid(700n), {
    getSignaturesForAddress: [{ signature: 's', slot: 100, transactionIndex: txIndex }],
  });
  for (const { blocks } of [asked, told]) expect(blocks).toMatchObject([{ transactions: [{ txIndex }] }]);
  const questions = ({ node }: typeof told) => node.requests.flat().filter((method) => method === 'getBlock');
  expect([questions(asked).length, questions(told).length]).toEqual([1, 0]);
});

test('a transaction whose block is gone is read all the same, at a place of its own', async () => {
  const gone = { error: { code: -32_001, message: 'Block 100 cleaned up, does not exist on node' } };
  const { blocks } = await readOne(paid(700n), { getBlock: gone });
  expect(blocks[0]?.transactions[0]?.txIndex).toBeGreaterThanOrEqual(2 ** 30);
});

test('a node whose answer for a transaction cannot be decoded is said to have failed, not to know of none', async () => {
  const accounts = [payer(SOL, 0n), { name: 'bob', before: 5n, after: 5n }];
  const sound = { ...transaction({ accounts, instructions: [] }), slot: 100, blockTime: 1 };
  expect(await readOne(sound)).toMatchObject({ movements: 1 });
  const postBalances = [...(sound.meta?.postBalances ?? []), 1];
  for (const meta of [null, { ...sound.meta, postBalances }]) {
    const reading = readOne({ ...sound, meta });
    await expect(reading).rejects.toMatchObject({ name: 'SourceError', code: 'malformed' });
  }
});

test.each(['getTokenAccountsByOwner', 'getBalance', 'getSignaturesForAddress'])(
  'a node that answers %s with anything else than its list is said to have failed',
  async (method) => {
    const context = { slot: 200 };
    const lists = [
      { context },
      { context, value: [{}] },
      { context, value: [{ pubkey: 'a', account: null }] },
    ];
    const bare = [null, {}, { value: null }, { value: 5 }, { value: [] }, [null], [{ signature: 5 }]];
    for (const result of [...bare, ...lists])
      await expect(readOne(null, { [method]: result }), JSON.stringify(result)).rejects.toMatchObject({
        name: 'SourceError',
      });
  },
);
