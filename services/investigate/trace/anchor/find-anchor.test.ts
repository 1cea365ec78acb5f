import { describe, expect, test } from 'vitest';
import { move, type StoryStep } from '../../../testing/chain-story.ts';
import { createMemoryPriceReader } from '../../../testing/memory/memory-price-reader.ts';
import { askTrace as ask, crowd, deposit, later, NOTE, T, USDC } from '../../../testing/trace-story.ts';
import type { Service } from '../../model/trace-reader.ts';
import { PAID_ROWS_MAX, TRANSACTION_ROWS_MAX } from '../rules.ts';
import { TraceRefusedError, type TraceRequest } from '../trace-answer.ts';

const USDT = '0xdac17f958d2ee523a2206206994597c13d831ec7';
const services = new Map<string, Service>([['ex', { entity: 'Ex', kind: 'exchange' }]]);
const traced = (moves: StoryStep['moves'], request: Partial<TraceRequest> = {}) =>
  ask(
    [{ time: T, hash: 'anchor', ...(moves === undefined ? {} : { moves }) }, later],
    { counterparty: 'ex', coin: 7, ...request },
    { services },
  );

describe('a transaction that somebody filled with transfers', () => {
  const logged = (count: number, asset?: string) =>
    Array.from({ length: count }, (_, index) =>
      move(`x${index}`, `y${index}`, 1n, asset === undefined ? {} : { asset }),
    );
  const tokens = logged(TRANSACTION_ROWS_MAX, '0x00000000000000000000000000000000000000fa');

  test('of a worthless token is traced as without them', async () => {
    const filled: StoryStep = { ...deposit, moves: [...tokens, ...(deposit.moves ?? [])] };
    const answer = await ask([filled, ...crowd, later]);
    expect(answer).toMatchObject({ anchor: { verified: true }, anonymitySet: 9, scope: 'full' });
  });

  test('between two payments is read for both', async () => {
    const { anchor, detail } = await traced([
      move('ann', 'ex', NOTE / 10n),
      ...tokens,
      move('ann', 'ex', 7n * NOTE),
    ]);
    expect(anchor.moved).toEqual([{ canonicalAsset: 'native', amountRaw: 7n * NOTE + NOTE / 10n }]);
    expect(detail).not.toContain('some of the amount may be missing');
  });

  test('still contradicts a wrong body', async () => {
    const wrong = traced([...tokens, move('joe', 'ex', NOTE)]).catch((error: unknown) => error);
    expect(await wrong).toBeInstanceOf(TraceRefusedError);
  });

  test('of the coin is read in part, and the answer says so', async () => {
    const coins = logged(PAID_ROWS_MAX);
    const read = await traced([move('ann', 'ex', NOTE), ...coins, move('ann', 'ex', NOTE)]);
    expect(read).toMatchObject({
      anchor: { verified: true, moved: [{ amountRaw: NOTE }] },
      ...{ scope: 'partial', detail: expect.stringContaining('some of the amount may be missing') },
    });
    const unread = await traced([...coins, move('ann', 'ex', NOTE)]);
    expect(unread.anchor).toMatchObject({ verified: false, moved: [{ amountRaw: 7n * NOTE }] });
  });
});

describe('a unit beside it', () => {
  test('hides nothing that went through others', async () => {
    const { anchor } = await traced([
      move('ann', 'ex', 1n),
      move('ann', 'account', 7n * NOTE),
      move('account', 'ex', 7n * NOTE),
    ]);
    expect(anchor.moved).toEqual([{ canonicalAsset: 'native', amountRaw: 7n * NOTE + 1n }]);
  });

  test('of another asset is not what is traced', async () => {
    const both = [move('ann', 'ex', 1n), move('ann', 'ex', 1_234_567_000_000n, { asset: USDC })];
    const { anchor } = await traced(both, { coin: 1e-18, usd: 1_234_567 });
    expect(anchor.moved).toEqual([{ canonicalAsset: USDC, amountRaw: 1_234_567_000_000n }]);
  });
});

describe('what went through others', () => {
  test('is the wallet’s own, however many handed it on one to another', async () => {
    const through = ['ann', 'account', 'adapter', 'router', 'ex'];
    const moves = through.slice(1).map((to, index) => move(through[index] ?? '', to, NOTE));
    expect((await traced(moves)).anchor.moved).toEqual([{ canonicalAsset: 'native', amountRaw: NOTE }]);
    const back = { wallet: 'ex', counterparty: 'ann', direction: 'in' as const };
    const services = new Map<string, Service>([['ann', { entity: 'Ex', kind: 'exchange' }]]);
    const answer = await ask([{ time: T, hash: 'anchor', moves }, later], back, { services });
    expect(answer.anchor.moved).toEqual([{ canonicalAsset: 'native', amountRaw: NOTE }]);
  });

  test('is no more than the wallet gave, nor what others paid, nor another asset', async () => {
    const moves = [
      ...[move('ann', 'account', NOTE), move('joe', 'account', 5n * NOTE), move('account', 'ex', 6n * NOTE)],
      ...[move('ann', 'shop', 9n * NOTE), move('eve', 'ex', 4n * NOTE)],
      ...[move('ann', 'desk', 5_000_000n, { asset: USDC }), move('desk', 'ex', 3n * NOTE)],
    ];
    expect((await traced(moves)).anchor.moved).toEqual([{ canonicalAsset: 'native', amountRaw: NOTE }]);
  });
});

describe('of a transaction that moved the coin and a stablecoin', () => {
  const [coin, dollars] = [
    move('ann', 'ex', NOTE / 100n),
    move('ann', 'ex', 25_000_000_000n, { asset: USDC }),
  ];
  const both = { coin: 0.01, usd: 25_000 };
  const ethAt = (usd: number) =>
    createMemoryPriceReader([
      {
        ...{ chain: 'ethereum', canonicalAsset: 'native', usd, source: 'market', span: 'hour' },
        ...{ beginUnixSeconds: 0, atUnixSeconds: T },
      },
    ]);
  const priced = (usd: number, request: Partial<TraceRequest> = both) =>
    ask(
      [{ time: T, hash: 'anchor', moves: [coin, dollars] }, later],
      { counterparty: 'ex', ...request },
      { services, prices: ethAt(usd) },
    );
  const [usdcMoved, coinMoved] = [
    [{ canonicalAsset: USDC, amountRaw: 25_000_000_000n }],
    [{ canonicalAsset: 'native', amountRaw: NOTE / 100n }],
  ];

  test('what was worth more is traced, and the other is named', async () => {
    const cheap = await priced(3_000);
    expect(cheap).toMatchObject({ anchor: { verified: true, moved: usdcMoved }, scope: 'partial' });
    expect(cheap.detail).toContain('also moved 0.01 ETH');
    const dear = await priced(3_000_000);
    expect(dear).toMatchObject({ anchor: { moved: coinMoved }, scope: 'partial' });
    expect(dear.detail).toContain('also moved 25000 USDC');
  });

  test('what the request alone names is traced, without a word of the other', async () => {
    const ofCoin = await priced(3_000, { coin: 0.01, usd: 0 });
    expect(ofCoin.anchor.moved).toEqual(coinMoved);
    expect(ofCoin.detail).not.toContain('also moved');
    const ofDollars = await priced(3_000, { coin: 0, usd: 25_000 });
    expect(ofDollars.anchor.moved).toEqual(usdcMoved);
    expect(ofDollars.detail).not.toContain('also moved');
  });

  test('is told by what the chain says was worth more, whatever the request says of both', async () => {
    expect((await priced(3_000, { coin: 1, usd: 1 })).anchor.moved).toEqual(usdcMoved);
    expect((await priced(3_000_000, { coin: 1e-9, usd: 1e9 })).anchor.moved).toEqual(coinMoved);
  });

  test('that is not indexed, the same is believed, and said', async () => {
    const paid = { time: T + 60, moves: [move('ex', 'bob', 25_000_000_000n, { asset: USDC })] };
    const answer = await ask(
      [paid, later],
      { counterparty: 'ex', ...both },
      { services, prices: ethAt(3_000) },
    );
    expect(answer.anchor).toMatchObject({ verified: false, moved: expect.arrayContaining(usdcMoved) });
    expect(answer.detail).toContain('names both the coin and stablecoins');
  });
});

describe('of a transaction that moved several stablecoins', () => {
  const [usdc, usdt] = [
    { canonicalAsset: USDC, amountRaw: 2_000_000n },
    { canonicalAsset: USDT, amountRaw: 50_000_000_000n },
  ];
  const both = [usdc, usdt].map(({ canonicalAsset, amountRaw }) =>
    move('ann', 'ex', amountRaw, { asset: canonicalAsset }),
  );
  const tracedOf = (usd: number, coin = 0) => traced(both, { coin, usd });

  test('the one that the request speaks of is traced, and the other is named', async () => {
    for (const usd of [50_000, 50_002, 49_000]) {
      const { anchor, detail } = await tracedOf(usd);
      expect(anchor.moved).toEqual([usdt]);
      expect(detail).toContain('also moved 2 USDC');
    }
    const { anchor, detail } = await tracedOf(2);
    expect(anchor.moved).toEqual([usdc]);
    expect(detail).toContain('also moved 50000 USDT');
  });

  test('of which the request does not speak, the most is', async () => {
    expect((await tracedOf(0, 7)).anchor.moved).toEqual([usdt]);
  });
});
