import { describe, expect, test } from 'vitest';
import { move, tellStory } from '../../testing/chain-story.ts';
import { createMemoryReader } from '../../testing/memory-reader.ts';
import { startApi } from '../../testing/start-api.ts';

const ANN = '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed';
const BEA = '0xfb6916095ca1df60bb79ce92ce3ea74c37c5d359';
const CYD = '0xdbf03b407c01e7cd3cbea99509d93f8dddc8c6fb';
const BEA_SHOWN = '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359';
const SYSTEM_PROGRAM = '11111111111111111111111111111111';
type Refusal = { error: string; fields: { path: string }[] };

describe('the request', () => {
  const good = { address: ANN };
  test.each([
    ['address', {}],
    ['address', { address: 7 }],
    ['address', { address: '' }],
    ['address', { address: '\ud800' }],
    ['address', { address: '0x5AAeb6053F3E94C9b9A09f33669435E7Ef1BeAed' }],
    ['address', { address: ANN, chain: 'solana' }],
    ['address', { address: SYSTEM_PROGRAM, chain: 'ethereum' }],
    ['chain', { ...good, chain: 'bitcoin' }],
    ['chain', { ...good, chain: null }],
    ['asset', { ...good, asset: SYSTEM_PROGRAM }],
    ['asset', { ...good, asset: 'NOSUCHCOIN' }],
    ['asset', { ...good, asset: null }],
    ['since', { ...good, since: -1 }],
    ['since', { ...good, since: 1.5 }],
    ['since', { ...good, since: '1700000000' }],
    // Milliseconds.
    ['since', { ...good, since: 1_700_000_000_000 }],
    ['max_hops', { ...good, max_hops: 0 }],
    ['max_hops', { ...good, max_hops: 51 }],
    ['max_hops', { ...good, max_hops: '5' }],
    ['max_hop', { ...good, max_hop: 5 }],
    ['backward', { ...good, backward: 'yes' }],
    ['since', { ...good, backward: true, since: 5 }],
    ['until', { ...good, until: 5 }],
    ['since', { ...good, since: 1_700_003_600 }],
    ['until', { ...good, backward: true, until: 1_700_003_600 }],
    ['amount', { ...good, amount: 0 }],
    ['amount', { ...good, amount: -1 }],
    ['amount', { ...good, amount: '5' }],
    ['amount', { ...good, amount: 1e-300 }],
    ['amount', { ...good, amount: 1e300 }],
    ['counterparty', { ...good, counterparty: SYSTEM_PROGRAM }],
    ['counterparty', { ...good, counterparty: 5 }],
    ['counterparty', { ...good, counterparty: good.address }],
    ['graph', { ...good, graph: 'yes' }],
    ['starts', { ...good, starts: [] }],
    ['min_usd', { ...good, min_usd: 5 }],
    ['backward', { ...good, graph: true, backward: true }],
    ['asset', { ...good, graph: true, starts: [{ address: BEA }] }],
    ['starts.0.address', { ...good, graph: true, asset: 'native', starts: [{ address: 'b' }] }],
    ['starts.0.address', { ...good, graph: true, asset: 'native', starts: [{ address: ANN }] }],
    [
      'starts.0.since',
      { ...good, graph: true, asset: 'native', starts: [{ address: BEA, since: 1_700_003_600 }] },
    ],
    ['starts.0.sinse', { ...good, graph: true, asset: 'native', starts: [{ address: BEA, sinse: 1 }] }],
    ['starts', { ...good, graph: true, asset: 'native', starts: Array(51).fill({ address: BEA }) }],
    ['budget.calls', { ...good, graph: true, budget: { calls: 0 } }],
    ['budget.seconds', { ...good, graph: true, budget: { seconds: 90 } }],
    ['min_usd', { ...good, graph: true, min_usd: -1 }],
    ['min_probability', { ...good, graph: true, min_probability: 2 }],
    ['constructor', { ...good, constructor: 1 }],
    ['', []],
    ['', null],
    ['', 'text'],
  ])('a wrong %j is a 400 that names it: %j', async (path, body) => {
    await using api = await startApi();
    const response = await api.post('/follow', JSON.stringify(body));
    expect(response.status).toBe(400);
    const answer = (await response.json()) as Refusal;
    expect(answer).toMatchObject({
      code: 'invalid_request',
      fields: [{ path, message: expect.any(String) }],
    });
    if (path !== '') expect(answer.error).toContain(path);
  });

  test.each([
    '{"__proto__":{"x":1},"address":"a"}',
    '{"address":"a","max_hops":1e999}',
    '{"address":"a","max_hops":9e99}',
  ])('%s is a plain 400', async (body) => {
    await using api = await startApi();
    expect((await api.post('/follow', body.replace('"a"', `"${ANN}"`))).status).toBe(400);
  });

  test('a field that is wrong in several ways at once is named once', async () => {
    await using api = await startApi();
    const body = `{"address":"${ANN}","since":9e99,"max_hops":-1e16}`;
    const { error, fields } = (await (await api.post('/follow', body)).json()) as Refusal;
    expect(fields.map(({ path }) => path)).toEqual(['since', 'max_hops']);
    expect(error.split('`since`')).toHaveLength(2);
  });

  test('all wrong fields are named at once, and of very many the first twenty', async () => {
    await using api = await startApi();
    const two = (await (await api.post('/follow', { addres: ANN, max_hops: 99 })).json()) as Refusal;
    expect(two.fields.map(({ path }) => path).sort()).toEqual(['addres', 'address', 'max_hops']);
    const keys = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`key${index}`, 1]));
    const many = (await (await api.post('/follow', { ...good, ...keys })).json()) as Refusal;
    expect(many.fields).toHaveLength(20);
  });

  test('the wrapped coin named as the asset is the coin', async () => {
    await using api = await startApi();
    const weth = '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2';
    const answer = await (await api.post('/follow', { address: ANN, asset: weth })).json();
    expect(answer).toMatchObject({ asset: { symbol: 'ETH', address: null, decimals: 18 } });
  });

  test('max_hops and since reach the brain', async () => {
    const story = tellStory('ethereum', [
      { time: 1_000, moves: [move(ANN, CYD, 900n)] },
      { time: 2_000, moves: [move(ANN, BEA, 100n)] },
      { time: 3_000, moves: [move(BEA, CYD, 100n)] },
    ]);
    await using api = await startApi({ reader: createMemoryReader(story) });
    const answer = await (await api.post('/follow', { address: ANN, since: 1_500, max_hops: 1 })).json();
    expect(answer).toMatchObject({
      hops: [{ to: BEA_SHOWN }],
      end: { reason: 'max_hops', address: BEA_SHOWN },
    });
  });
});
