import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { readExamples } from '../../api/contract/describe-api.ts';
import { toWholeText } from '../../investigate/model/amount.ts';
import { createSpoor, type Flow } from '../../sdk/create-spoor.ts';
import { move, tellStory } from '../../testing/chain-story.ts';
import { type AssetQuote, createMemoryPriceReader } from '../../testing/memory/memory-price-reader.ts';
import { createMemoryReader } from '../../testing/memory-reader.ts';
import { startApi } from '../../testing/start-api.ts';
import { drawFlow } from './draw-flow.ts';
import { toFlowRows } from './flow-rows.ts';

const [ANN, BEA, CYD, DOT, SHOP] = ['a', 'b', 'c', 'd', '5'].map((digit) => `0x${digit.repeat(40)}`) as [
  string,
  string,
  string,
  string,
  string,
];
const ETHER = 10n ** 18n;
const BROUGHT = 2_195_584_445_596_000_001n;
const pay = (from: string, to: string, amountRaw: bigint) => [move(from, to, amountRaw)];

/** Bea pays most of it into an exchange in three transactions, a part to Cyd, and keeps a part. Dot is paid when all had left Cyd. */
const story = tellStory('ethereum', [
  { time: 1_000, hash: '0xa1', moves: pay(ANN, BEA, BROUGHT) },
  { time: 2_000, hash: '0xb1', moves: pay(BEA, SHOP, ETHER / 2n) },
  { time: 2_100, hash: '0xb2', moves: pay(BEA, SHOP, ETHER / 2n) },
  { time: 2_200, hash: '0xb3', moves: pay(BEA, SHOP, ETHER / 3n) },
  { time: 3_000, hash: '0xc1', moves: pay(BEA, CYD, ETHER / 7n) },
  { time: 3_500, hash: '0xd1', moves: pay(DOT, CYD, 20n * ETHER) },
  { time: 4_000, hash: '0xc2', moves: pay(CYD, SHOP, 15n * ETHER) },
  { time: 4_100, hash: '0xc3', moves: pay(CYD, DOT, 5n * ETHER) },
]);
const labels = new Map([[SHOP, { name: 'Alder', kind: 'exchange' as const }]]);

const QUOTE: AssetQuote = {
  ...{ chain: 'ethereum', canonicalAsset: 'native', source: 'market', span: 'hour' },
  ...{ beginUnixSeconds: 0, atUnixSeconds: 1_000, usd: 153.535 },
};

const askFlow = async (): Promise<Flow> => {
  await using api = await startApi({
    reader: createMemoryReader(story, { labels }),
    prices: createMemoryPriceReader([QUOTE]),
  });
  return await createSpoor({ url: api.url }).followGraph({
    address: ANN,
    chain: 'ethereum',
    asset: 'native',
  });
};
const drawn = (flow: Flow): string[] => stripVTControlCharacters(drawFlow(flow)).split('\n');

/** Amounts in raw units and in cents of the lines below a title, and of the title's own. */
const readSums = (lines: readonly string[], title: string) => {
  const at = lines.findIndex((line) => line.startsWith(`${title}: `));
  const below = lines.slice(at + 1, at + 1 + lines.slice(at + 1).findIndex((line) => !line.startsWith('  ')));
  const read = (line: string) => {
    const [, whole = '', fraction = ''] = /([\d,]+)(?:\.(\d+))? ETH/.exec(line) ?? [];
    const [, dollars = ''] = /\(\$([\d,.]+)\)/.exec(line) ?? [];
    return {
      raw: BigInt(whole.replaceAll(',', '') + fraction.padEnd(18, '0')),
      cents: BigInt(dollars.replaceAll(/[,.]/g, '')),
    };
  };
  const add = (key: 'raw' | 'cents') => below.map(read).reduce((sum, each) => sum + each[key], 0n);
  return { own: read(lines[at] ?? ''), below: { raw: add('raw'), cents: add('cents') } };
};

test('every place where money is stands on the page, also a wallet that paid on, and the sums add up', async () => {
  const flow = await askFlow();
  const lines = drawn(flow);
  const kept = BROUGHT - ETHER / 2n - ETHER / 2n - ETHER / 3n - ETHER / 7n;
  const told = `${toWholeText(kept, 18)} ETH`;
  expect(lines.filter((line) => line.includes(`${told} (`) && line.includes('still there'))).toHaveLength(1);
  expect(lines.find((line) => line.startsWith(`  ${told}`))).toContain(flow.rests[0]?.address);
  const parts = ['Reached an end', 'Still in wallets'].map((title) => readSums(lines, title));
  for (const { own, below } of parts) expect(below).toEqual(own);
  const { own: taken } = readSums(lines, 'Taken');
  expect(taken.raw).toBe(BROUGHT);
  for (const key of ['raw', 'cents'] as const)
    expect(parts.reduce((sum, { own }) => sum + own[key], 0n)).toBe(taken[key]);
  expect(lines.find((line) => line.startsWith('Dollars are at the price of'))).toContain(
    '1970-01-01 00:16:40',
  );
});

test('every transaction of a payment is named with what it moved, and no payment of nothing is drawn', async () => {
  const lines = drawn(await askFlow());
  for (const hash of ['0xb1', '0xb2', '0xb3'])
    expect(lines.filter((line) => line.endsWith(`https://etherscan.io/tx/${hash}`))).toHaveLength(1);
  expect(lines.join('\n')).not.toMatch(/[^\d.]0 ETH/);
  expect(lines.join('\n')).toMatch(/% of what arrived there, probability \d+ %/);
});

test('as CSV the rows of ends, rests and frontier add up to what was taken, and payments bear labels and times', async () => {
  const flow = await askFlow();
  const rows = toFlowRows(flow);
  const places = rows.filter(({ row }) => row !== 'payment');
  expect(places.reduce((sum, { amount_raw: raw }) => sum + BigInt(String(raw)), 0n)).toBe(BROUGHT);
  expect(places.map(({ row, end }) => `${row} ${end}`)).toContain('rest at_rest');
  expect(rows.filter(({ amount_raw: raw }) => raw === '0')).toEqual([]);
  const shop = rows.find(({ row, to }) => row === 'payment' && String(to).toLowerCase() === SHOP);
  expect(shop).toMatchObject({ label: 'Alder', kind: 'exchange', end: 'exchange', symbol: 'ETH' });
  expect(shop).toMatchObject({ signatures: '0xb1 0xb2 0xb3', times: '2000 2100 2200', usd_at: 1_000 });
  for (const row of rows) expect(Object.keys(row).sort()).toEqual(Object.keys(rows[0] ?? {}).sort());
});

test('the calls that go on stand ready to copy, with the server that was named', async () => {
  const text = stripVTControlCharacters(drawFlow(await askFlow(), '--url http://127.0.0.1:9'));
  expect(text).toMatch(
    /\nNext:\n {2}npx spoor trace 0xb\S+ 0x5\S+ 0xb\d --chain ethereum --direction out --time 2\d00 --sol 0\.\d+ --usd 0 --url http:\/\/127\.0\.0\.1:9/i,
  );
});

test('an end of a flow is drawn with where it came out of a bridge', () => {
  const flow = readExamples().graph?.answer as Flow;
  const crossing = {
    ...{ chain: 'base' as const, address: '0xbea', amount: 59, amount_raw: '59000000', signature: '0xff' },
    ...{ asset: { symbol: 'USDC', address: '0xusdc', decimals: 6 }, since: 1_756_900_000 },
    ...{ by: 'id' as const, confidence: 1 },
  };
  const [mixer] = flow.ends;
  if (mixer === undefined) throw new Error('the example has no end');
  const lines = drawn({
    ...flow,
    ends: [{ ...mixer, reason: 'bridge', outcome: 'bridge', crossings: [crossing], next: [] }],
  });
  const at = lines.findIndex((line) => line.startsWith('  bridge: 2,000 SOL'));
  expect(lines.slice(at + 1, at + 3)).toEqual([
    '    → base: 59 USDC, 0xbea, 2025-09-03 11:46:40 UTC',
    '      https://basescan.org/tx/0xff',
  ]);
});
