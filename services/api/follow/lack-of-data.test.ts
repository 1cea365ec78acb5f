import { describe, expect, test } from 'vitest';
import { ReadFailedError } from '../../investigate/model/transfer-reader.ts';
import { move, tellStory } from '../../testing/chain-story.ts';
import { pagesOf, withDepartures } from '../../testing/flow-pages.ts';
import { createMemoryReader } from '../../testing/memory-reader.ts';
import { startApi } from '../../testing/start-api.ts';
import type { AskForWallet } from '../asking/ask-in-time.ts';

const ANN = '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed';
const BEA = '0xfb6916095ca1df60bb79ce92ce3ea74c37c5d359';
const CYD = '0xdbf03b407c01e7cd3cbea99509d93f8dddc8c6fb';
const DOT = `0x${'1'.repeat(40)}`;
const SYSTEM_PROGRAM = '11111111111111111111111111111111';

describe('where a trail ends for lack of data', () => {
  const askedFor = async (overrides: Parameters<typeof startApi>[0], body: object) => {
    const asked: string[][] = [];
    const askForWallet: AskForWallet = async (chain, { address }) => {
      asked.push([chain, address]);
      return { withinSeconds: 10 };
    };
    await using api = await startApi({ askForWallet, ...overrides });
    const { meta, end } = (await (await api.post('/follow', body)).json()) as {
      meta: { scope: string };
      end: { reason: string; detail: string };
    };
    return { asked, scope: meta.scope, ...end };
  };
  const backfills = () => ({ canBackfill: () => true, lastBackfill: () => null });

  test('and its history can be read, the wallet is asked for, and the answer says that it is partial', async () => {
    const { asked, scope, detail } = await askedFor({ backfills }, { address: SYSTEM_PROGRAM });
    expect(asked).toEqual([['solana', SYSTEM_PROGRAM]]);
    expect(scope).toBe('partial');
    expect(detail).toMatch(/ask again in a minute/);
  });

  test('and the wallet cannot be asked for in time, the answer is given without and promises nothing', async () => {
    const never = () => new Promise<null>(() => {});
    const { scope, detail } = await askedFor({ backfills, askForWallet: never }, { address: SYSTEM_PROGRAM });
    expect(scope).toBe('no_data');
    expect(detail).not.toMatch(/ask again/);
  });

  test('and its history is stored while its rows are read, this answer does not call it known, the next one does', async () => {
    const blocks = tellStory('ethereum', [{ time: 1_000, moves: [move(ANN, BEA, 1n)] }]);
    const memory = createMemoryReader(blocks, { indexedSince: 2_000 });
    let stored = 0;
    const reader = withDepartures(memory, (request) => {
      if (request.wallet === BEA) stored += 1;
      return pagesOf(memory)(request);
    });
    const read = { missing: 'nothing', readAtUnixSeconds: 3_000 } as const;
    const known = () => {
      const now = stored;
      return {
        canBackfill: () => true,
        lastBackfill: (_: string, wallet: string) => (wallet === ANN || now > 0 ? read : null),
      };
    };
    const overrides = { backfills: known, reader };
    const body = { chain: 'ethereum', address: ANN, since: 1_000 };
    expect(await askedFor(overrides, body)).toMatchObject({ reason: 'no_data', asked: [['ethereum', BEA]] });
    expect(await askedFor(overrides, body)).toMatchObject({ reason: 'at_rest', asked: [] });
  });

  test.each([
    ['nothing is known of the wallet', { address: ANN, since: 1_000 }, BEA],
    ['no such payment is known', { address: ANN, since: 1_000, counterparty: DOT }, BEA],
    ['a wallet could not be read', { address: BEA, since: 1_000 }, BEA],
  ])('because %s, nobody is asked and nothing is promised', async (_, body, from) => {
    const blocks = tellStory('ethereum', [{ time: 1_000, moves: [move(from, CYD, 1n)] }]);
    const memory = createMemoryReader(blocks, { indexedSince: 900 });
    const reader = withDepartures(memory, (request) =>
      request.wallet === CYD ? Promise.reject(new ReadFailedError('unavailable')) : pagesOf(memory)(request),
    );
    const told = await askedFor({ backfills, reader }, body);
    expect(told.reason).toBe('no_data');
    expect(told.asked).toEqual([]);
    expect(told.detail).not.toMatch(/ask again/);
  });

  test.each([
    ['a trail', {}],
    ['a flow', { graph: true }],
  ])(
    'and what was read of a busy wallet was cut, the part after the money came is asked for, of %s',
    async (_, more) => {
      const asked: object[] = [];
      const blocks = tellStory('ethereum', [{ time: 1_000, moves: [move(ANN, BEA, 9n)] }]);
      const reader = createMemoryReader(blocks, { indexedSince: 2_000 });
      const cut = { readAtUnixSeconds: 3_000, coverage: 'older_left_out', number: 1 };
      const backfills = () => ({
        canBackfill: () => true,
        lastBackfill: (_: string, wallet: string) =>
          ({ missing: wallet === BEA ? 'more' : 'nothing', readAtUnixSeconds: 3_000 }) as const,
        lastReading: (_: string, wallet: string) => (wallet === BEA ? cut : null),
      });
      const askForWallet: AskForWallet = async (_, wanted) => {
        asked.push(wanted);
        return { withinSeconds: 10 };
      };
      await using api = await startApi({ reader, backfills, askForWallet });
      await api.post('/follow', { chain: 'ethereum', address: ANN, since: 1_000, ...more });
      const [block] = blocks;
      expect(asked).toEqual([
        {
          ...{ address: BEA, asset: null, side: 'both', first: block?.number, last: null },
          ...{ order: 'oldest', limit: 200 },
        },
      ]);
    },
  );
});
