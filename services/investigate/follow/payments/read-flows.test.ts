import { describe, expect, test } from 'vitest';
import { followWith, path, type Question, readStory, toFollowRequest } from '../../../testing/ask-follow.ts';
import { move, type StoryStep } from '../../../testing/chain-story.ts';
import { createMemoryPriceReader } from '../../../testing/memory/memory-price-reader.ts';
import { follow } from '../follow.ts';

const USDC = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48';
const DAI = '0x6b175474e89094c44da98b954eedeac495271d0f';
const TOKEN = '0x00000000000000000000000000000000000000fa';

/** A hundred dollars of alice's that somebody moves, who has `gotRaw` of an asset go back to her in the same transaction. */
const taken = (by: string, asset: string, gotRaw: bigint): StoryStep => ({
  ...{ time: 20, by, hash: 'taken' },
  moves: [
    move('alice', 'stash', 100_000_000n, { asset: USDC, authority: 'contract' }),
    move('stash', 'alice', gotRaw, { asset, authority: 'contract' }),
  ],
  swaps: [
    { owner: 'alice', gaveAsset: USDC, gaveRaw: 100_000_000n, gotAsset: asset, gotRaw, through: 'stash' },
  ],
});
const onward = { time: 30, moves: [move('stash', 'cash', 100_000_000n, { asset: USDC })] };
const oneRawUnitIs = (usd: number, chain = 'ethereum', canonicalAsset = TOKEN) =>
  createMemoryPriceReader([{ chain, canonicalAsset, source: 'market', span: 'hour', usd, ...at(20) }]);
const at = (second: number) => ({ beginUnixSeconds: 0, atUnixSeconds: second });

const ask = (
  story: readonly StoryStep[],
  question: Question = {},
  prices = createMemoryPriceReader(),
): ReturnType<typeof follow> => {
  const request = toFollowRequest({ chain: 'ethereum', canonicalAsset: USDC, atUnixSeconds: 0, ...question });
  return follow(request, { ...followWith(readStory(story, request.chain.name)), prices });
};

describe('what others make out to be a swap of a wallet', () => {
  test('is the drain that it is where any contract may have logged what came back', async () => {
    expect(path(await ask([taken('thief', TOKEN, 1n), onward]))).toEqual(['alice>stash', 'stash>cash']);
  });

  test('is so too where a crumb of a true asset came back', async () => {
    const story = [taken('thief', DAI, 10n ** 18n), onward];
    expect(path(await ask(story))).toEqual(['alice>stash', 'stash>cash']);
  });

  describe('on Solana, where a program that was made a delegate takes', () => {
    const [usdc, usdt] = [
      'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
      'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB',
    ];
    const drain = (gotRaw: bigint, asset: string, authority: string | null = 'program'): StoryStep => ({
      ...{ time: 20, by: 'thief' },
      moves: [
        move('alice', 'stash', 100_000_000n, { asset: usdc, authority }),
        move('stash', 'alice', gotRaw, { asset }),
      ],
      swaps: [
        { owner: 'alice', gaveAsset: usdc, gaveRaw: 100_000_000n, gotAsset: asset, gotRaw, through: 'stash' },
      ],
    });
    const question = { chain: 'solana', canonicalAsset: usdc, atUnixSeconds: 0 };
    const swappedInto = (asset: string) => ({ reason: 'dex_swap', address: 'alice', output: { asset } });

    test('is the drain that it is where a crumb of a true asset came back', async () => {
      expect(path(await ask([drain(1_000_000n, usdt)], question))).toEqual(['alice>stash']);
      const { end } = await ask([drain(99_000_000n, usdt)], question);
      expect(end).toMatchObject(swappedInto(usdt));
    });

    test('is so where what came back has no known worth, of a mint that anybody can make', async () => {
      expect(path(await ask([drain(1n, 'junk')], question))).toEqual(['alice>stash']);
      const { end } = await ask([drain(9n, 'junk')], question, oneRawUnitIs(10, 'solana', 'junk'));
      expect(end).toMatchObject(swappedInto('junk'));
    });

    test('is one where the wallet signed for what it gave, and another paid the fee', async () => {
      const { end } = await ask([drain(1n, 'junk', null)], question);
      expect(end).toMatchObject(swappedInto('junk'));
    });

    test('hides no source of what was put in its place, backward', async () => {
      const moves = [
        move('thief', 'alice', 100_000_000n, { asset: usdc }),
        move('alice', 'thief', 1n, { asset: 'junk', authority: 'program' }),
      ];
      const sold = { gaveAsset: 'junk', gaveRaw: 1n, gotAsset: usdc, gotRaw: 100_000_000n };
      const story = [
        { time: 20, by: 'thief', moves, swaps: [{ owner: 'alice', ...sold, through: 'thief' }] },
      ];
      const backward = { ...question, backward: true, atUnixSeconds: null };
      expect(path(await ask(story, backward))).toEqual(['alice>thief']);
    });
  });

  test('is the payment that an answer named, when it is asked for', async () => {
    const question = { start: 'stash', counterparty: 'alice', amount: 100 };
    expect(path(await ask([taken('thief', TOKEN, 1n), onward], question))).toEqual(['stash>cash']);
  });

  test('hides no source, backward', async () => {
    const moves = [
      move('thief', 'alice', 100_000_000n, { asset: USDC }),
      move('alice', 'thief', 1n, { asset: TOKEN }),
    ];
    const sold = { gaveAsset: TOKEN, gaveRaw: 1n, gotAsset: USDC, gotRaw: 100_000_000n };
    const story = [{ time: 20, by: 'thief', moves, swaps: [{ owner: 'alice', ...sold, through: 'thief' }] }];
    const question = { backward: true, atUnixSeconds: null };
    expect(path(await ask(story, question))).toEqual(['alice>thief']);
  });

  test('is one where what came back is known to be worth it, as of an order that a solver settles', async () => {
    const { end } = await ask([taken('solver', TOKEN, 9n), onward], {}, oneRawUnitIs(10));
    expect(end).toMatchObject({ reason: 'dex_swap', address: 'alice', output: { asset: TOKEN } });
    const { hops } = await ask([taken('solver', TOKEN, 9n), onward], {}, oneRawUnitIs(1));
    expect(hops).toHaveLength(2);
  });

  test('is one where an honest asset came back, though nobody knows its price', async () => {
    const steth = '0xae7ab96520de3a18e5e111b5eaab095312d7fe84';
    const { end } = await ask([taken('solver', steth, 1n), onward]);
    expect(end).toMatchObject({ reason: 'dex_swap', address: 'alice', output: { asset: steth } });
  });

  test('is one where an honest asset was issued to it, of which no payment tells', async () => {
    const step = taken('solver', DAI, 1n);
    const [given] = step.moves ?? [];
    const issued = { ...step, moves: given === undefined ? [] : [given] };
    const { end } = await ask([issued, onward]);
    expect(end).toMatchObject({ reason: 'dex_swap', address: 'alice', output: { asset: DAI } });
  });
});

describe('a swap in a transaction of the wallet itself', () => {
  test('is one whatever came back, of a token that no list names and nobody trades', async () => {
    const { hops, end } = await ask([taken('alice', TOKEN, 1n), onward]);
    expect(hops).toEqual([]);
    expect(end).toMatchObject({ reason: 'dex_swap', address: 'alice', output: { asset: TOKEN } });
  });

  test('is one beside a drain that looks like one', async () => {
    const own = { ...taken('alice', TOKEN, 1n), time: 25, hash: 'own' };
    const [hop] = (await ask([taken('thief', TOKEN, 1n), own])).hops;
    expect(hop).toMatchObject({ to: 'stash', signature: 'taken' });
    expect(hop?.others).toMatchObject([{ signature: 'own', output: { asset: TOKEN } }]);
  });
});
