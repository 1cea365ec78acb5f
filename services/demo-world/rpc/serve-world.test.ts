import { setImmediate as turn } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { decodeEvmBlock } from '../../ingest/evm/decode-evm-block.ts';
import { openEvmNode } from '../../ingest/history/evm-node/open-evm-node.ts';
import { type HistoryStep, readHistory } from '../../ingest/history/read-history.ts';
import { decodeSolanaBlock } from '../../ingest/solana/decode-solana-block.ts';
import type { DecodedBlock } from '../../investigate/model/block.ts';
import { KnownWindows } from '../../investigate/model/known-windows.ts';
import { createWorld } from '../create-world.ts';
import type { TruthLine } from '../truth.ts';
import { worldBlocks } from '../world-blocks.ts';
import { type ServedWorld, serveWorld } from './serve-world.ts';

const never = new AbortController().signal;
const OPTIONS = { seed: 5, people: 8, days: 1, blockSeconds: 600 };
const world = createWorld(OPTIONS);
const solana = world.range.solana ?? { first: 0, last: 0 };
const ethereum = world.range.ethereum ?? { first: 0, last: 0 };
let served: ServedWorld;

beforeAll(async () => {
  served = await serveWorld(world);
});
afterAll(() => served.close());

const post = async (path: string, body: unknown): Promise<unknown> => {
  const response = await fetch(`${served.url}${path}`, { method: 'POST', body: JSON.stringify(body) });
  return response.json();
};

type Reply = { result?: unknown; error?: { code: number }; id: unknown };
const call = async (path: string, method: string, ...params: unknown[]): Promise<Reply> =>
  (await post(path, { jsonrpc: '2.0', id: 1, method, params })) as Reply;

const slots = async (): Promise<number[]> =>
  (await call('/solana', 'getBlocks', solana.first, solana.last)).result as number[];

test('blocks of all encodings give the same events', async () => {
  for (const slot of (await slots()).slice(40, 60)) {
    const [json, base64, base58] = await Promise.all(
      ['json', 'base64', 'base58'].map(async (encoding) => {
        const options = { encoding, maxSupportedTransactionVersion: 0 };
        const { result: block } = await call('/solana', 'getBlock', slot, options);
        return decodeSolanaBlock({ block, slot, chain: 'solana', votes: 'sum' });
      }),
    );
    expect(base64).toEqual(json);
    expect(base58).toEqual(json);
  }
});

test('blocks read over RPC decode to the same as blocks taken straight from the world', async () => {
  for (const direct of worldBlocks(OPTIONS)) {
    const { chain, number } = direct;
    if (chain === 'solana') {
      const options = { encoding: 'json', maxSupportedTransactionVersion: 0 };
      const { result: block } = await call('/solana', 'getBlock', number, options);
      expect(decodeSolanaBlock({ block, slot: number, chain, votes: 'sum' })).toEqual(direct);
      continue;
    }
    const at = `0x${number.toString(16)}`;
    const [block, receipts, traces] = (await post('/ethereum', [
      { id: 1, method: 'eth_getBlockByNumber', params: [at, true] },
      { id: 2, method: 'eth_getBlockReceipts', params: [at] },
      { id: 3, method: 'debug_traceBlockByNumber', params: [at, { tracer: 'callTracer' }] },
    ])) as Reply[];
    const byHash = await call('/ethereum', 'debug_traceBlockByHash', direct.hash, { tracer: 'callTracer' });
    expect(byHash.result).toEqual(traces?.result);
    const answers = { block: block?.result, receipts: receipts?.result, traces: traces?.result };
    expect(decodeEvmBlock({ chain, ...answers })).toEqual(direct);
  }
});

test('a skipped slot, a future slot and an unknown method are answered with the codes of real nodes', async () => {
  const present = new Set(await slots());
  let skipped = solana.first;
  while (present.has(skipped)) skipped++;
  expect(skipped).toBeLessThan(solana.last);
  expect((await call('/solana', 'getBlock', skipped, {})).error?.code).toBe(-32_007);
  expect((await call('/solana', 'getBlock', solana.last + 1, {})).error?.code).toBe(-32_004);
  expect((await call('/solana', 'getBlock', solana.first - 1, {})).error?.code).toBe(-32_001);
  expect((await call('/solana', 'getBlock', 'x', {})).error?.code).toBe(-32_602);
  expect((await call('/solana', 'getNothing')).error?.code).toBe(-32_601);
  expect((await call('/ethereum', 'eth_nothing')).error?.code).toBe(-32_601);
  expect(
    (await call('/ethereum', 'eth_getBlockByNumber', `0x${(ethereum.last + 1).toString(16)}`, true)).result,
  ).toBe(null);
});

test('a caller that knows no version 0 is refused a block that holds one', async () => {
  const options = { encoding: 'json', maxSupportedTransactionVersion: 0 };
  for (const slot of await slots()) {
    const { result } = (await call('/solana', 'getBlock', slot, options)) as {
      result: { transactions: { version: unknown }[] };
    };
    if (!result.transactions.some(({ version }) => version === 0)) continue;
    expect((await call('/solana', 'getBlock', slot, { encoding: 'json' })).error?.code).toBe(-32_015);
    return;
  }
  throw new Error('no block of the world holds a version 0 transaction');
});

test('a batch is answered call by call, and the three parts of an EVM block belong together', async () => {
  const number = `0x${ethereum.last.toString(16)}`;
  const replies = (await post('/ethereum', [
    { id: 'a', method: 'eth_getBlockByNumber', params: ['latest', true] },
    { id: 'b', method: 'eth_getBlockReceipts', params: [number] },
    { id: 'c', method: 'debug_traceBlockByNumber', params: [number, { tracer: 'callTracer' }] },
    { id: 'd', method: 'eth_getBlockByNumber', params: [number, false] },
    { id: 'e', method: 'nonsense', params: [] },
  ])) as Reply[];
  expect(replies.map(({ id }) => id)).toEqual(['a', 'b', 'c', 'd', 'e']);
  const resultOf = <Result>(id: string): Result => replies.find((reply) => reply.id === id)?.result as Result;
  const hashes = resultOf<{ transactions: { hash: string }[] }>('a').transactions.map(({ hash }) => hash);
  const receipts = resultOf<{ transactionHash: string }[]>('b');
  expect(receipts.map(({ transactionHash }) => transactionHash)).toEqual(hashes);
  expect(resultOf<{ txHash: string }[]>('c').map(({ txHash }) => txHash)).toEqual(hashes);
  expect(resultOf<{ transactions: string[] }>('d').transactions).toEqual(hashes);
  expect(replies.at(-1)?.error?.code).toBe(-32_601);
});

test('a token says its decimals and its symbol, an address without code says nothing', async () => {
  const usdc = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48';
  const ask = async (to: string, data: string): Promise<unknown> =>
    (await call('/ethereum', 'eth_call', { to, data }, 'latest')).result;
  expect(await ask(usdc, '0x313ce567')).toBe(`0x${'6'.padStart(64, '0')}`);
  const symbol = String(await ask(usdc, '0x95d89b41'));
  expect(Buffer.from(symbol.slice(2 + 128, 2 + 128 + 8), 'hex').toString('utf8')).toBe('USDC');
  expect(await ask(`0x${'9'.repeat(40)}`, '0x313ce567')).toBe('0x');
});

test('a receipt can be asked for by its transaction', async () => {
  await served.complete();
  const { result } = await call('/ethereum', 'eth_getBlockReceipts', 'latest');
  for (const receipt of result as { transactionHash: string }[]) {
    expect((await call('/ethereum', 'eth_getTransactionReceipt', receipt.transactionHash)).result).toEqual(
      receipt,
    );
  }
  expect((await call('/ethereum', 'eth_getTransactionReceipt', `0x${'0'.repeat(64)}`)).result).toBe(null);
});

test('whoever ends it waits for no block that it still has to make', async () => {
  const lines: TruthLine[] = [];
  const unmade = await serveWorld(createWorld({ ...OPTIONS, people: 60 }, (line) => lines.push(line)));
  const known = lines.length;
  const body = JSON.stringify({ id: 1, method: 'eth_getBlockReceipts', params: ['latest'] });
  const asked = expect(fetch(`${unmade.url}/ethereum`, { method: 'POST', body })).rejects.toThrow();
  while (lines.length === known) await turn();
  await unmade.close();
  await asked;
});

/** What a block moved to or from the address, without what belongs to no transaction. */
const movesOf = ({ number, movements }: DecodedBlock, address: string): string[] =>
  movements
    .filter(({ from, to, txIndex }) => txIndex !== null && [from, to].includes(address))
    .map(({ asset, amountRaw, txIndex }) => `${number} ${txIndex} ${asset} ${amountRaw}`);

test('an EVM account is read by its address as its blocks hold it, and its balance leaves no room for more', async () => {
  const blocks = [...worldBlocks(OPTIONS)].filter(({ chain }) => chain === 'ethereum');
  // Fees for whoever built a block are listed nowhere; that account signs nothing.
  const signers = new Set(blocks.flatMap(({ transactions }) => transactions.map(({ sender }) => sender)));
  const { node, source } = openEvmNode({ chain: 'ethereum', url: `${served.url}/ethereum` });
  const chain = { node, sources: [source], known: new KnownWindows(), clock: { nowUnixMs: () => 0 } };
  const part = { asset: null, side: 'both', last: null, order: 'oldest', limit: 1_000 } as const;
  for (const address of [...signers].filter((_, at) => at % 8 === 0)) {
    const reading = readHistory(chain, { ...part, address, first: ethereum.first }, never);
    const steps: HistoryStep[] = [];
    for await (const step of reading) steps.push(step);
    const found = steps.flatMap((step) => (step.type === 'transaction' ? movesOf(step.block, address) : []));
    expect(new Set(found)).toEqual(new Set(blocks.flatMap((block) => movesOf(block, address))));
    const windows = steps.flatMap((step) => (step.type === 'window' ? [step.window] : []));
    const proof = windows.find(({ kinds }) => kinds.includes('rewards'));
    expect(proof).toMatchObject({ first: ethereum.first, last: ethereum.last, proof: 'proved' });
  }
});

test('what is no JSON, no batch or no known path is refused', async () => {
  const broken = await fetch(`${served.url}/solana`, { method: 'POST', body: '{' });
  expect(((await broken.json()) as Reply).error?.code).toBe(-32_700);
  expect(((await post('/solana', [])) as Reply).error?.code).toBe(-32_600);
  expect((await fetch(`${served.url}/elsewhere`, { method: 'POST', body: '{}' })).status).toBe(404);
});
