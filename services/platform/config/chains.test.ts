import { expect, test } from 'vitest';
import { parseChains } from './chains.ts';

const plain = { websocketUrl: null, start: null };

test('a list and a JSON object say the same', () => {
  const rpcUrls = ['https://rpc.example/?key=a,b&x=1'];
  const websocketUrl = 'wss://rpc.example/?key=a,b&x=1';
  const chains = [
    { name: 'solana', rpcUrls, websocketUrl, commitment: 'finalized', start: null },
    { name: 'base', rpcUrls: ['http://127.0.0.1:8545'], commitment: 'latest', ...plain },
  ];
  const list = parseChains('solana=https://rpc.example/?key=a,b&x=1, base=http://127.0.0.1:8545');
  expect(list).toEqual({ chains, problems: [] });
  const json = JSON.stringify(Object.fromEntries(chains.map(({ name, rpcUrls }) => [name, rpcUrls[0]])));
  expect(parseChains(json)).toEqual({ chains, problems: [] });
});

test('nothing means no chain', () => {
  expect(parseChains('  ')).toEqual({ chains: [], problems: [] });
});

test('several endpoints, a websocket, a commitment and a start are said in JSON', () => {
  const urls = ['https://a.example', 'https://b.example'];
  const text = JSON.stringify({
    solana: {
      urls,
      websocket: 'wss://c.example',
      subscribe: 'blocks',
      commitment: 'confirmed',
      start: 250_000_000,
    },
    bsc: urls,
    base: { urls: 'https://a.example', commitment: 'safe' },
  });
  expect(parseChains(text)).toEqual({
    chains: [
      {
        name: 'solana',
        rpcUrls: urls,
        websocketUrl: 'wss://c.example',
        subscribe: 'blocks',
        commitment: 'confirmed',
        start: 250_000_000,
      },
      { name: 'bsc', rpcUrls: urls, commitment: 'latest', ...plain },
      { name: 'base', rpcUrls: ['https://a.example'], commitment: 'safe', ...plain },
    ],
    problems: [],
  });
});

test.each([
  ['https://rpc.example/key', 'wss://rpc.example/key'],
  ['http://127.0.0.1:8899', 'ws://127.0.0.1:8900/'],
  ['http://127.0.0.1:65535', null],
])('slots of a node at %s are told at %s, unless it is said that they are not', (url, told) => {
  expect(parseChains(`solana=${url}`).chains[0]?.websocketUrl).toBe(told);
  const text = JSON.stringify({ solana: { urls: url, websocket: null } });
  expect(parseChains(text).chains[0]?.websocketUrl).toBeNull();
});

test('each wrong entry is named, and what would be accepted', () => {
  const { chains, problems } = parseChains(
    'dogecoin=https://a.example,base=ws://b.example,bsc=https://c.example,bsc=https://d.example',
  );
  expect(chains.map((e) => e.name)).toEqual(['bsc']);
  expect(problems).toEqual([
    expect.stringContaining('"dogecoin" is not a known chain'),
    expect.stringContaining('the URL of base is not accepted'),
    'bsc is given twice',
  ]);
  expect(problems[0]).toContain('solana, ethereum, base, arbitrum, optimism, polygon, bsc');
});

test('a chain that stands twice in the JSON form is named as one that does in the list', () => {
  const { problems } = parseChains(
    '{"solana": "https://a.example", "base": {}, "solana": ["https://b.example"]}',
  );
  expect(problems).toEqual([
    expect.stringContaining('the URL of base is not accepted'),
    'solana is given twice',
  ]);
  const field = JSON.stringify({ base: { urls: 'https://a.example' }, bsc: { urls: 'https://b.example' } });
  expect(parseChains(field).problems).toEqual([]);
});

test('each wrong field of a chain is named, without its value', () => {
  const { chains, problems } = parseChains(
    JSON.stringify({
      solana: {
        ...{ urls: [], websocket: 'https://key-1', subscribe: 'all', commitment: 'processed' },
        ...{ start: -1, key: 'key-2' },
      },
      base: { urls: ['https://a.example'], websocket: 'wss://b.example', subscribe: 'slots' },
      bsc: 7,
    }),
  );
  expect(chains).toEqual([]);
  expect(problems).toEqual([
    expect.stringContaining('the URL of solana is not accepted'),
    'the websocket of solana is not accepted; accepted is a URL that begins with ws:// or wss://, with "%" in it written as %25, or null',
    'the subscribe of solana is not accepted; accepted is slots or blocks',
    'the commitment of solana is not accepted; accepted is one of finalized, confirmed',
    'the start of solana is not accepted; accepted is a whole number, the first block or slot to take',
    'solana has a field that is not known; known are urls, websocket, subscribe, commitment, start, history',
    'base takes no websocket; only solana does',
    'base takes no subscribe; only solana does',
    expect.stringContaining('the URL of bsc is not accepted'),
  ]);
  expect(problems.join()).not.toContain('key-');
});

test('a "%" that is no escape is refused by the name of its field', () => {
  const urls = 'https://a.example/key%zz1';
  const websocket = 'wss://a.example/?key=100%';
  const { chains, problems } = parseChains(
    JSON.stringify({ base: urls, solana: { urls: 'https://a.example', websocket } }),
  );
  expect(chains).toEqual([]);
  expect(problems).toEqual([
    expect.stringMatching(/^the URL of base is not accepted; .* with "%" in them written as %25/),
    expect.stringMatching(/^the websocket of solana is not accepted; .* with "%" in it written as %25/),
  ]);
  expect(parseChains('base=https://a.example/?key=100%25').problems).toEqual([]);
});

test.each(['{"solana": "https://a.example"', '{}x'])('%s is no JSON object', (text) => {
  expect(parseChains(text).problems).toEqual([expect.stringContaining('is not a JSON object')]);
});

test('a URL without a name is a problem', () => {
  expect(parseChains('https://a.example').problems).toHaveLength(1);
});

test('a chain says who lists its histories beside its nodes, and what a plan allows', () => {
  const url = 'https://api.etherscan.io/v2/api';
  const history = [{ type: 'etherscan', url, key: 'k', per_second: 3, per_day: 100_000 }];
  const { chains, problems } = parseChains(
    JSON.stringify({ ethereum: { urls: 'https://a.example', history } }),
  );
  expect(problems).toEqual([]);
  expect(chains[0]?.history).toEqual([{ type: 'etherscan', url, key: 'k', perSecond: 3, perDay: 100_000 }]);
});

test('a dataset of a portal lists histories of either family', () => {
  const history = [{ type: 'sqd', url: 'https://portal.sqd.dev/datasets/solana-mainnet' }];
  const { chains, problems } = parseChains(
    JSON.stringify({ solana: { urls: 'https://a.example', history } }),
  );
  expect(problems).toEqual([]);
  expect(chains[0]?.history).toEqual([{ ...history[0], key: '' }]);
});

test.each([
  ['ethereum', [{ type: 'other', url: 'https://a.example' }]],
  ['ethereum', [{ type: 'etherscan', url: 'ftp://secret.example' }]],
  ['ethereum', { type: 'etherscan' }],
  ['solana', [{ type: 'etherscan', url: 'https://secret.example' }]],
])('a history of %s that is not known (%j) is refused without its value', (name, history) => {
  const { chains, problems } = parseChains(
    JSON.stringify({ [name]: { urls: 'https://a.example', history } }),
  );
  expect(chains).toEqual([]);
  expect(problems).toEqual([expect.stringContaining('history')]);
  expect(problems.join()).not.toContain('secret');
});
