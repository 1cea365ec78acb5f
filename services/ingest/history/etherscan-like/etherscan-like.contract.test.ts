import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Anvil, startAnvil } from '../../../testing/evm/start-anvil.ts';
import { type ExplorerTables, readTables, startExplorer } from '../../../testing/nodes/explorer-over-node.ts';
import { forwardingNode } from '../../../testing/nodes/forwarding-node.ts';
import { readAddress } from '../../../testing/nodes/read-address.ts';
import { openEvmNode } from '../evm-node/open-evm-node.ts';
import type { HistoryRequest } from '../read-history.ts';
import { createEtherscanLikeSource } from './etherscan-like-source.ts';

const PASSER = '0x00000000000000000000000000000000000c0de0';
// Passes all that it is sent on to the address in its call data.
const PASSING_CODE = '0x6000600060006000346000355af100';
const NEVER = new AbortController().signal;
const ONCE = { attempts: 1, firstWaitMs: 0, longestWaitMs: 0 };
const TWICE = { attempts: 2, firstWaitMs: 1, longestWaitMs: 1 };
const PAYMENTS = 130;

let node: Anvil;
let wallet: string;
let last: number;
let tables: ExplorerTables;

/** A wallet that a contract pays, and that pays more often than the shortest list that may be cut. */
beforeAll(async () => {
  node = await startAnvil('--slots-in-an-epoch', '1');
  const [stranger = '', own = '', payee] = await node.accounts();
  wallet = own.toLowerCase();
  await node.ask('anvil_setCode', PASSER, PASSING_CODE);
  await node.ask('anvil_setBalance', wallet, '0x0');
  const data = `0x${wallet.slice(2).padStart(64, '0')}`;
  await node.send({ from: stranger, to: PASSER, value: 10n ** 18n, data });
  for (let paid = 0; paid < PAYMENTS; paid++) await node.send({ from: wallet, to: payee, value: 5n });
  last = Number(await node.ask('eth_blockNumber'));
  await node.ask('anvil_mine', '0x4');
  tables = await readTables(node.ask);
}, 120_000);
afterAll(() => node.stop());

/** Reads through a node without any index of calls, with an explorer beside it. */
const read = async (explorer: { url: string }, part: Partial<HistoryRequest> = {}) => {
  const bare = await forwardingNode(node.url, ({ method }) =>
    /^(trace|ots)_/.test(method) ? { code: -32_601, message: 'Method not found' } : null,
  );
  const source = createEtherscanLikeSource({ url: explorer.url, key: '', chainId: 1n, retry: ONCE });
  const opened = openEvmNode({ chain: 'ethereum', url: bare.url });
  return readAddress({ ...opened, others: [source] }, { address: wallet, order: 'oldest', ...part });
};

const FORWARDS = ['oldest', 'newest'] as const;

test.each(FORWARDS)(
  '%s first: coin that a contract paid is found, all is decoded from the node, and the balance proves it',
  async (order) => {
    const explorer = await startExplorer(tables);
    const { blocks, coverage, windows } = await read(explorer, { order });
    const expected = Array.from({ length: PAYMENTS + 1 }, (_, at) => at + 1);
    expect(blocks.map(({ number }) => number)).toEqual(order === 'oldest' ? expected : expected.toReversed());
    expect(coverage).toBe('complete');
    expect(windows.at(-1)).toMatchObject({ first: 0, proof: 'proved' });
  },
);

test('of a contract nothing is proved by an explorer’s list: what it leaves out may have come in and gone out', async () => {
  const without = (rows: ExplorerTables[string] = []) =>
    rows.filter(({ parties }) => !parties.includes(PASSER));
  const hiding = Object.fromEntries(Object.entries(tables).map(([name, rows]) => [name, without(rows)]));
  const { blocks, coverage, windows } = await read(await startExplorer(hiding), { address: PASSER });
  expect([blocks, coverage]).toEqual([[], 'coin_transfers_left_out']);
  expect(new Set(windows.map(({ proof }) => proof))).toEqual(new Set(['listed']));
  const whole = await read(await startExplorer(tables), { address: PASSER });
  expect([whole.blocks.length, whole.coverage]).toEqual([1, 'coin_transfers_left_out']);
});

test('a window costs what it holds, and a limit ends it', async () => {
  const explorer = await startExplorer(tables);
  const { blocks } = await read(explorer, { first: 50, last: 60, limit: 5 });
  expect(blocks.map(({ number }) => number)).toEqual([50, 51, 52, 53, 54]);
  const rows = explorer.requests.filter((asked) => asked.get('startblock') !== '0');
  expect(rows.every((asked) => asked.get('startblock') === '50' && asked.get('endblock') === '60')).toBe(
    true,
  );
});

test.each([100, 120])(
  'a service that cuts its lists at %i rows and does not say so hides nothing',
  async (rowsMax) => {
    const explorer = await startExplorer(tables, { rowsMax });
    const { blocks, coverage } = await read(explorer);
    expect([blocks.length, coverage]).toEqual([PAYMENTS + 1, 'complete']);
  },
);

test.each([
  [
    'a plan that does not serve the chain',
    'Free API access is not supported for this chain. Please upgrade.',
    'rpc_error',
  ],
  ['a wrong key', 'Invalid API Key (#err2)|3', 'rpc_error'],
  [
    'a day’s budget that is used up',
    'Max daily rate limit reached. 100000 (100%) of 100000 day/limit',
    'quota_used',
  ],
  ['a rate', 'Max calls per sec rate limit reached (3/sec)', 'rate_limited'],
])('%s, told with HTTP 200 and status 0, is no wallet without history', async (_, result, code) => {
  const explorer = await startExplorer(tables, {
    fault: () => ({ status: '0', message: 'NOTOK', result }),
  });
  const source = createEtherscanLikeSource({
    url: explorer.url,
    key: 'k'.repeat(34),
    chainId: 1n,
    retry: ONCE,
  });
  await expect(source.probe(NEVER)).rejects.toMatchObject({ name: 'SourceError', code });
  // The node alone still tells what it can, and says what is missing.
  const { coverage } = await read(explorer);
  expect(coverage).toBe('coin_transfers_left_out');
});

test.each([
  ['is cut short', '{"status":"1","message":"OK","result":[{"blockNu'],
  [
    'says that calls are still being indexed',
    { status: '2', message: 'Awaiting internal transactions', result: [] },
  ],
  ['is another list', { status: '1', message: 'OK', result: [{ blockNumber: '1' }] }],
])('an answer that %s leaves the list to others, and is not taken for an empty one', async (_, broken) => {
  let probes = 5;
  const explorer = await startExplorer(tables, { fault: () => (probes-- > 0 ? null : broken) });
  const { coverage, windows } = await read(explorer);
  expect(coverage).toBe('coin_transfers_left_out');
  expect(new Set(windows.map(({ source }) => source))).toEqual(new Set(['evm-node']));
});

test('rows outside of the window are noticed: a service that ignores it would hide what it leaves out', async () => {
  const rows = [{ blockNumber: '3', hash: `0x${'1'.repeat(64)}` }];
  let probes = 5;
  const explorer = await startExplorer(tables, {
    fault: () => (probes-- > 0 ? null : { status: '1', message: 'OK', result: rows }),
  });
  const { windows } = await read(explorer, { first: 50, last });
  expect(new Set(windows.map(({ source }) => source))).toEqual(new Set(['evm-node']));
});

test('an action that the service lacks is not offered, and a refused rate is waited for', async () => {
  let refusals = 1;
  const fault = (action: string) => {
    if (action === 'txlistinternal')
      return { status: '0', message: 'NOTOK', result: 'Error! Missing Or invalid Action name' };
    return refusals-- > 0 ? { status: '0', message: 'NOTOK', result: 'Max rate limit reached' } : null;
  };
  const explorer = await startExplorer(tables, { fault });
  const source = createEtherscanLikeSource({ url: explorer.url, key: '', chainId: 1n, retry: TWICE });
  const { kinds } = await source.probe(NEVER);
  expect(kinds).toEqual(['sent', 'received', 'tokens_out', 'tokens_in']);
});

test('a day that is used up amid the first questions takes no list away for good', async () => {
  let asked = 0;
  const spent = { status: '0', message: 'NOTOK', result: 'Max daily rate limit reached. 100000 of 100000' };
  const explorer = await startExplorer(tables, { fault: () => (++asked === 2 ? spent : null) });
  const source = createEtherscanLikeSource({ url: explorer.url, key: '', chainId: 1n, retry: ONCE });
  await expect(source.probe(NEVER)).rejects.toMatchObject({ code: 'quota_used' });
  expect((await source.probe(NEVER)).kinds).toContain('internal');
});

test('no error names the key or the address of the service', async () => {
  const key = 'SECRETKEY0123456789';
  const fault = () => ({ status: '0', message: 'NOTOK', result: `Invalid API Key ${key}` });
  const explorer = await startExplorer(tables, { fault });
  const source = createEtherscanLikeSource({ url: explorer.url, key, chainId: 1n, retry: ONCE });
  await expect(source.probe(NEVER)).rejects.toThrow(/^((?!SECRETKEY|127\.0).)*$/);
});
