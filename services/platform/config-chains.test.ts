import { expect, test } from 'vitest';
import { parseChains } from './config-chains.ts';

test('a list and a JSON object say the same', () => {
  const endpoints = [
    { name: 'solana', rpcUrl: 'https://rpc.example/?key=a,b&x=1' },
    { name: 'base', rpcUrl: 'http://127.0.0.1:8545' },
  ];
  const list = parseChains('solana=https://rpc.example/?key=a,b&x=1, base=http://127.0.0.1:8545');
  expect(list).toEqual({ endpoints, problems: [] });
  const json = JSON.stringify(Object.fromEntries(endpoints.map((e) => [e.name, e.rpcUrl])));
  expect(parseChains(json)).toEqual({ endpoints, problems: [] });
});

test('nothing means no chain', () => {
  expect(parseChains('  ')).toEqual({ endpoints: [], problems: [] });
});

test('each wrong entry is named, and what would be accepted', () => {
  const { endpoints, problems } = parseChains(
    'dogecoin=https://a.example,base=ws://b.example,bsc=https://c.example,bsc=https://d.example',
  );
  expect(endpoints.map((e) => e.name)).toEqual(['bsc']);
  expect(problems).toEqual([
    expect.stringContaining('"dogecoin" is not a known chain'),
    expect.stringContaining('the URL of base is not accepted'),
    'bsc is given twice',
  ]);
  expect(problems[0]).toContain('solana, ethereum, base, arbitrum, optimism, polygon, bsc');
});

test.each(['{"solana": 7}', '{"solana": "https://a.example"', '{}x'])(
  '%s is no JSON object of URLs',
  (text) => {
    expect(parseChains(text).problems).toEqual([expect.stringContaining('is not a JSON object')]);
  },
);

test('a URL without a name is a problem', () => {
  expect(parseChains('https://a.example').problems).toHaveLength(1);
});
