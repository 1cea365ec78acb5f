import { describe, expect, test } from 'vitest';
import { followAndTell as follow, followWith, toFollowRequest } from '../../../testing/ask-follow.ts';
import type { MovementPlan } from '../../../testing/build-block.ts';
import { type Crossing, move, type StoryStep, tellStory } from '../../../testing/chain-story.ts';
import { createMemoryReader } from '../../../testing/memory-reader.ts';
import type { DecodedBlock } from '../../model/block.ts';
import type { Label } from '../../model/label.ts';

describe('behind a bridge whose own messages are known', () => {
  const usdc = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48';
  const onSolana = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
  const onBase = '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913';
  const labels = new Map<string, Label>([['0xgate', { name: 'Gate', kind: 'bridge' }]]);
  const deposit = (more: Partial<Crossing> = {}): Crossing => ({
    ...{ bridge: 'across', side: 'deposit', messageId: '1:7', farChain: 'base' },
    ...{ from: '0xbea', to: '0xbea', asset: usdc, amountRaw: 5_000_000n, ...more },
  });
  const delivery = (more: Partial<Crossing> = {}): Crossing => ({
    ...{ bridge: 'across', side: 'delivery', messageId: '1:7', farChain: 'ethereum' },
    ...{ from: '0xbea', to: '0xbea', asset: onBase, amountRaw: 4_999_000n, ...more },
  });
  const near = (crossings: readonly Crossing[]) =>
    tellStory('ethereum', [
      { time: 10, moves: [move('0xann', '0xbea', 5_000_000n, { asset: usdc })] },
      { time: 20, hash: 'near', moves: [move('0xbea', '0xgate', 5_000_000n, { asset: usdc })], crossings },
    ]);
  const far = (chain: string, crossing: Crossing, time = 900) =>
    tellStory(chain, [
      {
        ...{ time, hash: `far-${crossing.messageId}`, crossings: [crossing] },
        moves: [
          move(null, crossing.to, crossing.amountRaw ?? 0n, { asset: crossing.asset ?? '', kind: 'mint' }),
        ],
      },
    ]);
  const outputOf = async (blocks: readonly DecodedBlock[], backward = false) => {
    const reader = createMemoryReader(blocks, { labels });
    const [chain, start, canonicalAsset] = backward ? ['base', '0xcyd', onBase] : ['ethereum', '0xann', usdc];
    const { end } = await follow(
      toFollowRequest({ chain, start, canonicalAsset, backward }),
      followWith(reader),
    );
    if (end.reason !== 'bridge') throw new Error(end.reason);
    return end.output;
  };

  test('its number tells the far side, whoever was paid and however late', async () => {
    const output = await outputOf([
      ...near([deposit({ to: '0xeve' })]),
      ...far('base', delivery({ to: '0xeve' }), 999_999),
    ]);
    expect(output).toMatchObject({
      ...{ chain: { name: 'base' }, address: '0xeve', amountRaw: 4_999_000n, signature: 'far-1:7' },
      ...{ timeUnixSeconds: 999_999, by: 'id', confidence: 1, asset: { symbol: 'USDC' } },
    });
  });

  test('also on a chain of another kind', async () => {
    const output = await outputOf([
      ...near([deposit({ farChain: 'solana', to: 'Eve' })]),
      ...far('solana', delivery({ to: 'Eve', asset: onSolana })),
    ]);
    expect(output).toMatchObject({ chain: { name: 'solana' }, address: 'Eve', by: 'id' });
  });

  test('of several that one transaction put in, the one that the hop carried counts', async () => {
    const others = [
      deposit({ messageId: '1:6', amountRaw: 9n }),
      deposit(),
      deposit({ messageId: null, amountRaw: null }),
    ];
    const blocks = [
      ...near(others),
      ...far('base', delivery()),
      ...far('base', delivery({ messageId: '1:6' })),
    ];
    expect(await outputOf(blocks)).toMatchObject({ signature: 'far-1:7', by: 'id' });
  });

  describe('in a transaction that serves several wallets', () => {
    const bundle = (crossings: readonly Crossing[], others: readonly MovementPlan[] = []) =>
      tellStory('ethereum', [
        { time: 10, moves: [move('0xann', '0xbea', 5_000_000n, { asset: usdc })] },
        {
          ...{ time: 20, by: 'bundler', crossings },
          moves: [...others, move('0xbea', '0xgate', 5_000_000n, { asset: usdc })],
        },
      ]);
    const zoes = { messageId: '1:6', from: '0xzoe', to: '0xzoe' };
    const delivered = [
      ...far('base', delivery(zoes)),
      ...far('base', delivery({ messageId: '1:7', to: '0xeve' }), 901),
    ];

    test('who put the money in tells whose crossing it is, not the order', async () => {
      const own = deposit({ to: '0xeve' });
      for (const crossings of [
        [deposit(zoes), own],
        [own, deposit(zoes)],
      ])
        expect(await outputOf([...bundle(crossings), ...delivered])).toMatchObject({ address: '0xeve' });
    });

    test('a contract on the way that put it in did so for its payer', async () => {
      const through = [
        move('0xbea', '0xrouter', 5_000_000n, { asset: usdc }),
        move('0xrouter', '0xgate', 5_000_000n, { asset: usdc }),
      ];
      const blocks = tellStory('ethereum', [
        { time: 10, moves: [move('0xann', '0xbea', 5_000_000n, { asset: usdc })] },
        {
          ...{ time: 20, moves: through },
          crossings: [deposit(zoes), deposit({ from: '0xrouter', to: '0xeve' })],
        },
      ]);
      expect(await outputOf([...blocks, ...delivered])).toMatchObject({ address: '0xeve', by: 'id' });
    });

    test('what another wallet put in is the far side only where nothing else can be', async () => {
      const another = deposit({ from: '0xnew', to: '0xeve' });
      expect(await outputOf([...bundle([another]), ...delivered])).toMatchObject({ address: '0xeve' });
      expect(await outputOf([...bundle([deposit(zoes), another]), ...delivered])).toBeNull();
    });

    test('of crossings that name nobody the nearest in amount is it, and none where two are as near', async () => {
      const unnamed = (more: Partial<Crossing>) => deposit({ from: null, ...more });
      const other = unnamed({ messageId: '1:6', amountRaw: 4_000_000n });
      const nearer = await outputOf([...bundle([other, unnamed({})]), ...delivered]);
      expect(nearer).toMatchObject({ address: '0xeve', by: 'id' });
      const same = unnamed({ messageId: '1:6' });
      expect(await outputOf([...bundle([same, unnamed({})]), ...delivered])).toBeNull();
      expect(await outputOf([...bundle([same, deposit()]), ...delivered])).toMatchObject({ by: 'id' });
    });

    test('a little that was put in beside the money is not where the money went', async () => {
      const little = deposit({ amountRaw: 1n, to: '0xinnocent' });
      const crumb = move('0xbea', '0xother gate', 1n, { asset: usdc });
      const blocks = [...bundle([little], [crumb]), ...far('base', delivery({ to: '0xinnocent' }))];
      expect(await outputOf(blocks)).toBeNull();
    });
  });

  test('paid in parts, the largest is shown', async () => {
    const parts = tellStory('base', [
      { time: 800, hash: 'small', crossings: [delivery({ amountRaw: 9n })] },
      { time: 900, hash: 'large', crossings: [delivery()] },
    ]);
    expect(await outputOf([...near([deposit()]), ...parts])).toMatchObject({ signature: 'large' });
  });

  test('paid in different assets under one number, none of them is shown', async () => {
    const others = tellStory('base', [
      { time: 800, hash: 'other', crossings: [delivery({ asset: '0xother', amountRaw: 9_000_000n })] },
      { time: 900, hash: 'its own', crossings: [delivery()] },
    ]);
    expect(await outputOf([...near([deposit()]), ...others])).toBeNull();
    const received = tellStory('base', [
      { time: 800, crossings: [delivery({ asset: '0xother', amountRaw: 9_000_000n })] },
      {
        ...{ time: 901, crossings: [delivery()] },
        moves: [move(null, '0xbea', 4_999_000n, { asset: onBase, kind: 'mint' })],
      },
    ]);
    expect(await outputOf([...near([deposit()]), ...received])).toBeNull();
  });

  test('a thousand crumbs hide no payout, though the bridge gave its deposit a number', async () => {
    const receipt = (time: number, amountRaw: bigint): StoryStep => ({
      ...{ time, hash: `at-${time}` },
      moves: [move(null, '0xbea', amountRaw, { asset: onBase, kind: 'mint' })],
    });
    const crumbs = Array.from({ length: 1_000 }, (_, n) => receipt(40 + n, 1n));
    const paid = tellStory('base', [...crumbs, receipt(2_000, 4_999_000n)]);
    expect(await outputOf([...near([deposit()]), ...paid])).toMatchObject({
      ...{ signature: 'at-2000', by: 'beneficiary' },
    });
  });

  test('of the same payment made again, the next one after it is shown', async () => {
    const again = [100, 5, 15, 900].map((time) => ({
      ...{ time, hash: `at-${time}` },
      crossings: [delivery({ amountRaw: 4_999_000n + BigInt(time) })],
    }));
    const blocks = tellStory(
      'base',
      [...again].sort((a, b) => a.time - b.time),
    );
    expect(await outputOf([...near([deposit()]), ...blocks])).toMatchObject({ signature: 'at-100' });
  });

  test('the same amount to the same wallet at the same time under another number is not it', async () => {
    const other = far('base', delivery({ messageId: '1:8', amountRaw: 5_000_000n }), 100);
    expect(await outputOf([...near([deposit()]), ...other])).toBeNull();
    expect(await outputOf([...near([deposit()]), ...other, ...far('base', delivery())])).toMatchObject({
      signature: 'far-1:7',
    });
  });

  test('nor is what another bridge delivered, or what somebody else is known to have put in', async () => {
    const fits = far('base', delivery({ bridge: 'cctp', messageId: null, amountRaw: 5_000_000n }), 100);
    expect(await outputOf([...near([deposit({ messageId: null })]), ...fits])).toBeNull();
    const numbered = far('base', delivery({ amountRaw: 5_000_000n }), 100);
    expect(await outputOf([...near([]), ...numbered])).toMatchObject({ by: 'beneficiary' });
    const strangers = tellStory('arbitrum', [
      { time: 15, moves: [move('0xzoe', '0xgate', 5_000_000n)], crossings: [deposit({ from: '0xzoe' })] },
    ]);
    expect(await outputOf([...near([]), ...numbered, ...strangers])).toBeNull();
  });

  test('of several that one transaction delivered, an arrival is the one to its wallet, of its amount', async () => {
    const batch = (...crossings: readonly Crossing[]) =>
      tellStory('base', [
        {
          ...{ time: 100, hash: 'batch', by: 'relayer', crossings },
          moves: [['0xbea', 5_000_000n] as const, ['0xzed', 3n] as const].map(([to, amountRaw]) =>
            move(null, to, amountRaw, { asset: onBase, kind: 'mint' }),
          ),
        },
      ]);
    const put = (from: string, more: Partial<Crossing> = {}) =>
      tellStory('arbitrum', [
        { time: 15, moves: [move(from, '0xgate', 5_000_000n)], crossings: [deposit({ from, ...more })] },
      ]);
    const own = delivery({ amountRaw: 5_000_000n });
    const zeds = delivery({ messageId: '1:9', to: '0xzed', amountRaw: 3n });
    for (const far of [batch(own, zeds), batch(zeds, own)]) {
      expect(await outputOf([...near([]), ...far, ...put('0xzoe')])).toBeNull();
      const zed = put('0xzed', { messageId: '1:9', to: '0xzed', amountRaw: 3n });
      expect(await outputOf([...near([]), ...far, ...zed])).toMatchObject({ signature: 'batch' });
    }
  });

  test.each([
    ['one transaction', 0],
    ['several transactions', 1],
  ])('what crossed in several parts by %s is told, and for whom', async (_, later) => {
    const put = (time: number, amountRaw: bigint, to: string) => ({
      ...{ time, by: later === 0 ? 'multicall' : '0xbea' },
      moves: [move('0xbea', '0xgate', amountRaw, { asset: usdc })],
      crossings: [deposit({ messageId: `1:${to}`, to, amountRaw })],
    });
    const [eve, dan] = [put(20, 2_600_000n, '0xeve'), put(20 + later, 2_400_000n, '0xdan')];
    const parts =
      later === 1
        ? [eve, dan]
        : [
            {
              ...eve,
              moves: [...eve.moves, ...dan.moves],
              crossings: [...eve.crossings, ...dan.crossings],
            },
          ];
    const blocks = [
      ...tellStory('ethereum', [
        { time: 10, moves: [move('0xann', '0xbea', 5_000_000n, { asset: usdc })] },
        ...parts,
      ]),
      ...far('base', delivery({ messageId: '1:0xeve', to: '0xeve', amountRaw: 2_600_000n })),
      ...far('base', delivery({ messageId: '1:0xdan', to: '0xdan', amountRaw: 2_400_000n }), 901),
    ];
    const request = toFollowRequest({ chain: 'ethereum', start: '0xann', canonicalAsset: usdc });
    const { end } = await follow(request, followWith(createMemoryReader(blocks, { labels })));
    expect(end).toMatchObject({ reason: 'bridge', output: { address: '0xeve', by: 'id' } });
    expect(end.detail).toMatch(/crossed in several parts.*2\.4 USDC to base for 0xdan/i);
  });

  test('without a number it is what fits for whom the bridge named, on the chain it named', async () => {
    const v2 = { bridge: 'cctp', messageId: null, to: '0xeve' } as const;
    expect(await outputOf([...near([deposit(v2)]), ...far('base', delivery(v2))])).toMatchObject({
      ...{ address: '0xeve', by: 'beneficiary', confidence: 0.99 },
    });
    const elsewhere = near([deposit({ ...v2, farChain: 'optimism' })]);
    expect(await outputOf([...elsewhere, ...far('base', delivery(v2))])).toBeNull();
  });

  test('a number that is delivered on another chain than it was sent to is nobody’s', async () => {
    expect(
      await outputOf([...near([deposit({ farChain: 'optimism' })]), ...far('base', delivery())]),
    ).toBeNull();
  });

  test('a side that does not say where the other is leaves it to the other', async () => {
    const silent = far('base', delivery({ farChain: null }));
    expect(await outputOf([...near([deposit()]), ...silent])).toMatchObject({ by: 'id' });
    expect(await outputOf([...near([deposit({ farChain: null })]), ...silent])).toBeNull();
  });

  test('backward, of several that one transaction paid out, the one to the wallet counts', async () => {
    const zoes = delivery({ messageId: '1:6', to: '0xzoe' });
    const paid = tellStory('base', [
      {
        ...{ time: 900, crossings: [zoes, delivery({ to: '0xcyd' })] },
        moves: [
          move('0xgate', '0xzoe', 4_999_000n, { asset: onBase }),
          move('0xgate', '0xcyd', 4_999_000n, { asset: onBase }),
        ],
      },
    ]);
    const blocks = near([deposit({ messageId: '1:6', from: '0xzoe' }), deposit({ to: '0xcyd' })]);
    expect(await outputOf([...blocks, ...paid], true)).toMatchObject({ address: '0xbea', by: 'id' });
  });

  test('backward, the number tells who put the money in', async () => {
    const paid = tellStory('base', [
      {
        ...{ time: 900, crossings: [delivery({ to: '0xcyd' })] },
        moves: [move('0xgate', '0xcyd', 4_999_000n, { asset: onBase })],
      },
    ]);
    expect(await outputOf([...near([deposit({ to: '0xcyd' })]), ...paid], true)).toMatchObject({
      ...{
        chain: { name: 'ethereum' },
        address: '0xbea',
        amountRaw: 5_000_000n,
        signature: 'near',
        by: 'id',
      },
    });
  });
});
