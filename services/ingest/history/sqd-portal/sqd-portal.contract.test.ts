import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Anvil, startAnvil } from '../../../testing/evm/start-anvil.ts';
import { forwardingNode } from '../../../testing/nodes/forwarding-node.ts';
import {
  type PortalQuery,
  type PortalTables,
  readEvmTables,
  startPortal,
} from '../../../testing/nodes/portal-over-blocks.ts';
import { readAddress } from '../../../testing/nodes/read-address.ts';
import { openEvmNode } from '../evm-node/open-evm-node.ts';
import type { HistoryRequest } from '../read-history.ts';
import { createSqdPortalSource } from './sqd-portal-source.ts';

const PASSER = '0x00000000000000000000000000000000000c0de0';
// Passes all that it is sent on to the address in its call data.
const PASSING_CODE = '0x6000600060006000346000355af100';
const TOKEN = '0x00000000000000000000000000000000000c0de1';
// Says that its caller sent 5 to 0x…dead.
const TOKEN_CODE =
  '0x600560005261dead337fddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef60206000a300';
const NEVER = new AbortController().signal;
const ONCE = { attempts: 1, firstWaitMs: 0, longestWaitMs: 0 };
const FEW = { attempts: 3, firstWaitMs: 1, longestWaitMs: 5 };

let node: Anvil;
let wallet: string;
let tables: Map<number, PortalTables>;
const at = { paid: 0, tokens: 0, sent: 0 };

/** A wallet that a contract pays, that sends a token, and then coin. */
beforeAll(async () => {
  node = await startAnvil('--slots-in-an-epoch', '1');
  const [stranger = '', own = '', payee] = await node.accounts();
  wallet = own.toLowerCase();
  const blockNow = async () => Number(await node.ask('eth_blockNumber'));
  await node.ask('anvil_setCode', PASSER, PASSING_CODE);
  await node.ask('anvil_setCode', TOKEN, TOKEN_CODE);
  await node.ask('anvil_setBalance', wallet, '0x0');
  await node.ask('anvil_mine', '0x5');
  const data = `0x${wallet.slice(2).padStart(64, '0')}`;
  await node.send({ from: stranger, to: PASSER, value: 10n ** 18n, data });
  at.paid = await blockNow();
  await node.ask('anvil_mine', '0x5');
  await node.send({ from: wallet, to: TOKEN });
  at.tokens = await blockNow();
  await node.send({ from: stranger, to: payee, value: 3n });
  await node.send({ from: wallet, to: payee, value: 5n });
  at.sent = await blockNow();
  await node.ask('anvil_mine', '0x4');
  tables = await readEvmTables(node.ask);
}, 120_000);
afterAll(() => node.stop());

type Portal = Awaited<ReturnType<typeof startPortal>>;
const sourceOf = ({ url }: Portal, retry = FEW) =>
  createSqdPortalSource({ family: 'evm', url, key: '', limits: { perSecond: 1_000 }, retry });

/** Reads through a node without any index of calls, with the portal before it. */
const read = async (portal: Portal, part: Partial<HistoryRequest> = {}) => {
  const bare = await forwardingNode(node.url, ({ method }) =>
    /^(trace|ots)_/.test(method) ? { code: -32_601, message: 'Method not found' } : null,
  );
  const opened = openEvmNode({ chain: 'ethereum', url: bare.url });
  const asked = { address: wallet, order: 'oldest', ...part } as const;
  const told = await readAddress({ ...opened, others: [sourceOf(portal)] }, asked);
  return { ...told, numbers: told.blocks.map(({ number }) => number) };
};
/** Not one of a probe, which asks for the newest block alone. */
const isList = ({ fromBlock }: PortalQuery): boolean => fromBlock < Math.max(...tables.keys());
const streams = ({ queries }: Portal): PortalQuery[] => queries.filter(isList);
const all = () => [at.paid, at.tokens, at.sent];

test.each(['oldest', 'newest'] as const)(
  '%s first: everything of a wallet comes from the portal, is decoded from the node, and the balance proves it',
  async (order) => {
    const portal = await startPortal(tables);
    const { numbers, coverage, windows } = await read(portal, { order });
    expect(numbers).toEqual(order === 'oldest' ? all() : all().toReversed());
    expect(coverage).toBe('complete');
    expect(new Set(windows.map(({ source }) => source))).toEqual(new Set(['sqd-portal']));
    expect(streams(portal)).toHaveLength(1);
  },
);

test('of one token, and of what a contract logged, only that is asked for', async () => {
  const portal = await startPortal(tables);
  expect((await read(portal, { asset: TOKEN, side: 'out' })).numbers).toEqual([at.tokens]);
  expect((await read(portal, { address: TOKEN, side: 'emitted' })).numbers).toEqual([at.tokens]);
  expect((await read(portal, { asset: PASSER, side: 'out' })).numbers).toEqual([]);
  expect(streams(portal).map(({ transactions, traces = [] }) => [transactions, traces])).toEqual(
    Array(3).fill([[], []]),
  );
});

test('a dataset without traces offers no internal calls, and nothing is said of them', async () => {
  const portal = await startPortal(tables, { lacks: ['traces'] });
  expect((await sourceOf(portal).probe(NEVER)).kinds).not.toContain('internal');
  const { numbers, coverage } = await read(portal);
  expect([numbers, coverage]).toEqual([[at.tokens, at.sent], 'coin_transfers_left_out']);
});

test('a stream that ends before the last block is gone on with behind the last block that it told', async () => {
  const portal = await startPortal(tables, { endsAt: ({ fromBlock }) => fromBlock + 4 });
  const { numbers, coverage } = await read(portal);
  expect([numbers, coverage]).toEqual([all(), 'complete']);
  const begins = streams(portal).map(({ fromBlock }) => fromBlock);
  expect(begins).toEqual(begins.map((_, place) => place * 5));
  expect(begins.length).toBeGreaterThan(2);
});

/** Cuts the first stream of many blocks. */
const once = (cut: (text: string) => string) => {
  let left = 1;
  return (text: string, query: PortalQuery) => (isList(query) && left-- > 0 ? cut(text) : text);
};

test.each<[string, (text: string) => string]>([
  ['amid a line', (text) => text.slice(0, text.indexOf(`"number":${at.paid}`) + 4)],
  ['between two lines', (text) => text.slice(0, text.indexOf('\n') + 1)],
  ['before its first line', () => ''],
  ['by an error text', (text) => `${text.split('\n')[0]}\n{"error":{"type":"availability_error"}}\n`],
])('a stream that is cut %s with HTTP 200 hides nothing', async (_, cut) => {
  const portal = await startPortal(tables, { alter: once(cut) });
  const { numbers, coverage } = await read(portal);
  expect([numbers, coverage]).toEqual([all(), 'complete']);
});

test('a portal that always cuts its streams before their first line has failed, and the node tells what it can', async () => {
  const alter = (text: string, query: PortalQuery) => (isList(query) ? '' : text);
  const { coverage, windows } = await read(await startPortal(tables, { alter }));
  expect(coverage).toBe('coin_transfers_left_out');
  expect(new Set(windows.map(({ source }) => source))).toEqual(new Set(['evm-node']));
});

test('blocks that were not asked for are noticed: a portal that tells them may leave out others', async () => {
  const alter = (text: string, query: PortalQuery) =>
    isList(query) ? text.replaceAll('"number":', '"number":9') : text;
  const { windows } = await read(await startPortal(tables, { alter }));
  expect(new Set(windows.map(({ source }) => source))).toEqual(new Set(['evm-node']));
});

test.each(['oldest', 'newest'] as const)(
  '%s first: blocks that the portal does not hold yet are not taken for empty ones',
  async (order) => {
    const { coverage, windows, numbers } = await read(
      await startPortal(new Map([...tables].filter(([number]) => number < at.sent))),
      { order },
    );
    // The node finds what was sent there by its nonce, where it is asked for it.
    expect(numbers).toEqual(order === 'oldest' ? all() : [at.tokens, at.paid]);
    expect(coverage).toBe(order === 'oldest' ? 'complete' : 'transfers_left_out');
    const believed = windows.filter(({ source, proof }) => source === 'sqd-portal' && proof !== 'partial');
    expect(Math.max(...believed.map(({ last }) => last))).toBe(at.sent - 1);
  },
);

test.each([409, 429, 502, 503, 529])(
  'a refusal with %i is waited for, as long as the portal says',
  async (status) => {
    let refusals = 2;
    const portal = await startPortal(tables, {
      intercept: ({ fromBlock, toBlock }, response) => {
        if (fromBlock === toBlock || refusals-- <= 0) return false;
        response.writeHead(status, { 'retry-after': '0' }).end('{"error":{}}');
        return true;
      },
    });
    expect((await read(portal)).numbers).toEqual(all());
    expect(refusals).toBeLessThan(0);
  },
);

test('nobody asks a portal before the time that it names', async () => {
  const portal = await startPortal(tables, {
    intercept: (_, response) => {
      response.writeHead(529, { 'retry-after': '3600' }).end();
      return true;
    },
  });
  const source = sourceOf(portal, ONCE);
  await expect(source.probe(NEVER)).rejects.toMatchObject({ code: 'rate_limited' });
  await expect(source.probe(NEVER)).rejects.toMatchObject({ code: 'rate_limited' });
  expect(portal.queries).toHaveLength(1);
});

test('no error names the key or the address of the portal', async () => {
  const portal = await startPortal(tables, {
    intercept: (_, response) => {
      response.writeHead(401).end(`invalid key SECRETKEY at ${portal.url}`);
      return true;
    },
  });
  const source = createSqdPortalSource({
    family: 'evm',
    url: portal.url,
    key: 'SECRETKEY0123456789',
    retry: ONCE,
  });
  await expect(source.probe(NEVER)).rejects.toThrow(/^((?!SECRETKEY|127\.0).)*$/);
});
