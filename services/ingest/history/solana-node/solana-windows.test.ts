import { address, getAddressEncoder, getProgramDerivedAddress } from '@solana/kit';
import { describe, expect, test } from 'vitest';
import { startScriptedNode } from '../../../testing/nodes/scripted-node.ts';
import { keyOf, TOKEN_2022 } from '../../../testing/solana/build-transaction.ts';
import { associatedAccounts } from '../../solana/encoding/program-address.ts';
import type { HistoryPage, HistorySource, ListQuestion } from '../history-source.ts';
import { openSolanaNode } from './open-solana-node.ts';

const HEAD = 100_000;
const [WALLET, MINT] = [keyOf('bob'), keyOf('mint')];
const TOKEN_PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
const NEVER = new AbortController().signal;
const ONCE = { attempts: 1, firstWaitMs: 0, longestWaitMs: 0 };

type Row = { readonly slot: number; readonly signature: string; readonly account: string };
const row = (slot: number, account = WALLET): Row => ({ slot, account, signature: `${account}@${slot}` });
/** Old payments, and three thousand of today. */
const OLD = [20_000, 20_050, 20_100];
const ROWS: readonly Row[] = [...OLD, ...Array.from({ length: 3_000 }, (_, at) => 95_000 + at)].map((slot) =>
  row(slot),
);

/** How lists begin at a signature that does not name the account. */
type Foreign = 'below it' | 'empty' | 'at the newest';
type Options = {
  readonly rows?: readonly Row[];
  /** Instead of rows: so many transactions of the wallet in every slot. */
  readonly perSlot?: number;
  readonly foreign?: Foreign | ((anchor: string) => Foreign);
  readonly byAddress?: (options: Asked) => unknown;
};
type Asked = { before?: string; filters?: { slot?: { gte: number; lte: number } }; paginationToken?: string };

/** The thousand below a slot, which are so many whole slots. */
const busyPage = (below: number, perSlot: number): Row[] =>
  Array.from({ length: 1_000 }, (_, at) => {
    const { slot, signature } = row(below - 1 - Math.floor(at / perSlot));
    return { account: WALLET, slot, signature: `${signature}#${at % perSlot}` };
  });

/** A ledger in which every slot has a transaction of the token program, over HTTP. */
const openLedger = async ({
  rows = ROWS,
  perSlot = 0,
  foreign: howForeign = 'below it',
  byAddress,
}: Options = {}) => {
  const lists: { account: string; before: string | undefined }[] = [];
  const slotOf = (signature: string): number => Number.parseInt(signature.split('@')[1] ?? '', 10);
  const signaturesOf = (account: string, { before }: Asked) => {
    lists.push({ account, before });
    const foreign = typeof howForeign === 'string' ? howForeign : howForeign(before ?? '');
    if (before !== undefined && !before.startsWith(account) && foreign === 'empty') return [];
    const isForeign = before !== undefined && !before.startsWith(account);
    const below =
      before === undefined || (isForeign && foreign === 'at the newest') ? HEAD + 1 : slotOf(before);
    if (perSlot > 0 && account === WALLET) return busyPage(below, perSlot);
    const own = account === TOKEN_PROGRAM ? [row(Math.min(below, HEAD) - 1, account)] : rows;
    return own
      .filter((each) => each.account === account && each.slot < below)
      .toSorted((a, b) => b.slot - a.slot)
      .slice(0, 1_000);
  };
  const node = await startScriptedNode({
    answer: ({ method, params }) => {
      const [first, options] = params as [never, never];
      if (method === 'getSlot') return { result: HEAD };
      if (method === 'getBlocksWithLimit') return { result: [first] };
      if (method === 'getBlock') return { result: { signatures: [`other@${String(first)}`] } };
      if (method === 'getSignaturesForAddress') return { result: signaturesOf(first, options) };
      if (method === 'getTransactionsForAddress' && byAddress) return { result: byAddress(options) };
      return { error: { code: -32_601, message: 'Method not found' } };
    },
  });
  const { source } = openSolanaNode({ chain: 'solana', url: node.url, retry: ONCE });
  const list = async (part: Partial<ListQuestion> = {}) => {
    const pages: HistoryPage[] = [];
    const window = { first: 19_000, last: 21_000, kinds: ['sent'], asset: null, order: 'oldest' } as const;
    lists.length = 0;
    for await (const page of source.list({ address: WALLET, ...window, ...part }, NEVER)) pages.push(page);
    return { pages, slots: pages.flatMap(({ listed }) => listed.map(({ block }) => block)) };
  };
  return { source, list, lists };
};

const ascending = (slots: readonly number[]): number[] => slots.toSorted((a, b) => a - b);

test.each(['oldest', 'newest'] as const)(
  'an old window is reached by an anchor that all wallets share, %s first',
  async (order) => {
    const { source, list, lists } = await openLedger();
    expect((await source.probe(NEVER)).has).toContain('foreign before');
    expect(ascending((await list({ order })).slots)).toEqual(OLD);
    const own = lists.filter(({ account }) => account === WALLET);
    expect(own.at(-1)).toEqual({ account: WALLET, before: 'other@27000' });
    // Without the anchor three pages of today come first.
    expect(own.length).toBeLessThanOrEqual(order === 'newest' ? 1 : 2);
  },
);

test.each<[Foreign, 'oldest' | 'newest']>([
  ['empty', 'oldest'],
  ['empty', 'newest'],
  ['at the newest', 'oldest'],
  ['at the newest', 'newest'],
])(
  'a node whose lists are %s for a foreign signature is not believed; all is listed, %s first',
  async (foreign, order) => {
    const { source, list } = await openLedger({ foreign });
    expect((await source.probe(NEVER)).has).toEqual(['getSignaturesForAddress']);
    expect(ascending((await list({ order })).slots)).toEqual(OLD);
  },
);

test('behind one address may be nodes that do not begin at foreign signatures: an anchor whose list is empty is not believed', async () => {
  const foreign = (anchor: string): Foreign => (anchor === 'other@27000' ? 'empty' : 'below it');
  const { source, list, lists } = await openLedger({ foreign });
  expect((await source.probe(NEVER)).has).toContain('foreign before');
  expect(ascending((await list()).slots)).toEqual(OLD);
  expect(lists).toContainEqual({ account: TOKEN_PROGRAM, before: 'other@27000' });
});

test('of a followed mint the derived accounts are listed as well, closed or not, and no others', async () => {
  const programAddress = address('ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL');
  const { encode } = getAddressEncoder();
  const derived = await Promise.all(
    [TOKEN_PROGRAM, TOKEN_2022].map(async (program) => {
      const seeds = [WALLET, program, MINT].map((each) => encode(address(each)));
      return String((await getProgramDerivedAddress({ programAddress, seeds }))[0]);
    }),
  );
  expect(associatedAccounts(WALLET, MINT)).toEqual(derived);
  const rows = [row(20_000), row(20_010, derived[0]), row(20_020, derived[1]), row(20_030, keyOf('other'))];
  const { list, lists } = await openLedger({ rows });
  const { pages, slots } = await list({ asset: MINT, kinds: ['tokens_in', 'tokens_out'] });
  expect(ascending(slots)).toEqual([20_000, 20_010, 20_020]);
  expect(new Set(lists.map(({ account }) => account))).toEqual(new Set([WALLET, ...derived]));
  expect(pages).toMatchObject([{ covers: ['tokens_in', 'tokens_out'], lacks: {} }]);
});

/** Two rows a page, from the oldest on; a slot may go on in the next page. */
const paged =
  (all: readonly number[]) =>
  ({ filters, paginationToken = '0' }: Asked) => {
    const { gte = 0, lte = HEAD } = filters?.slot ?? {};
    const rows = all.filter((slot) => gte <= slot && slot <= lte);
    const from = Number(paginationToken);
    const data = rows.slice(from, from + 2).map((slot, at) => ({ slot, signature: `${slot}-${from + at}` }));
    return { data, paginationToken: from + 2 < rows.length ? String(from + 2) : null };
  };

test('where the node lists by address and time, a window is its pages, and no slot is told before it is whole', async () => {
  const { source, list, lists } = await openLedger({
    byAddress: paged([18_000, 20_000, 20_010, 20_010, 20_020, 30_000]),
  });
  expect((await source.probe(NEVER)).has).toContain('getTransactionsForAddress');
  const { pages } = await list();
  const windows = pages.map(({ first, last }) => ({ first, last }));
  expect(windows).toEqual([
    { first: 19_000, last: 20_009 },
    { first: 20_010, last: 21_000 },
  ]);
  const ids = pages.flatMap(({ listed }) => listed.map(({ id }) => id));
  expect(new Set(ids)).toEqual(new Set(['20000-0', '20010-1', '20010-2', '20020-3']));
  // What tokens came in was not indexed in those days.
  expect((await list({ kinds: ['tokens_in'] })).pages[0]).toMatchObject({
    covers: [],
    lacks: { tokens_in: 'token_accounts_before_december_2022' },
  });
  expect(lists).toEqual([]);
});

test.each<[string, unknown]>([
  ['lists slots that were not asked for', { data: [{ slot: 5, signature: 's' }], paginationToken: null }],
  ['names the same page for ever', { data: [{ slot: 20_000, signature: 's' }], paginationToken: 'same' }],
  ['says that an empty page has a next one', { data: [], paginationToken: 'more' }],
  ['leaves out signatures', { data: [{ slot: 20_000 }], paginationToken: null }],
])('a node that %s is said to have failed', async (_, answer) => {
  const { list } = await openLedger({ byAddress: ({ filters }) => (filters?.slot ? answer : { data: [] }) });
  await expect(list()).rejects.toMatchObject({ name: 'SourceError' });
});

/** The first so many ids that a source lists. */
const take = async (pages: AsyncGenerator<HistoryPage>, count: number): Promise<HistoryPage[]> => {
  const taken: HistoryPage[] = [];
  for await (const page of pages) {
    taken.push(page);
    if (taken.flatMap(({ listed }) => listed).length >= count) break;
  }
  return taken;
};

describe('of a wallet with a million transactions', () => {
  const PER_SLOT = 10;
  const ask = (source: HistorySource, order: 'oldest' | 'newest') =>
    source.list({ address: WALLET, first: 20_000, last: 90_000, kinds: ['sent'], asset: null, order }, NEVER);

  test.each(['oldest', 'newest'] as const)(
    'the %s of a window cost what they cost, not what lies between',
    async (order) => {
      const { source, lists } = await openLedger({ perSlot: PER_SLOT });
      const [page] = await take(ask(source, order), 50);
      expect(page?.lacks).toEqual({});
      const { first = 0, last = 0, listed = [] } = page ?? {};
      expect(order === 'oldest' ? first : last).toBe(order === 'oldest' ? 20_000 : 90_000);
      // All of what the page says it holds, and no more.
      expect(new Set(listed.map(({ id }) => id)).size).toBe((last - first + 1) * PER_SLOT);
      const own = lists.filter(({ account }) => account === WALLET);
      expect(own.length).toBeLessThanOrEqual(20);
    },
  );

  test('on a node that begins all lists at the newest, an old window is told to be too far, after a bounded number of pages', async () => {
    const { source, lists } = await openLedger({ perSlot: PER_SLOT, foreign: 'at the newest' });
    const pages = await take(ask(source, 'oldest'), 1);
    expect(pages).toMatchObject([
      { first: 20_000, last: 90_000, listed: [], covers: [], lacks: { sent: 'too_many_signatures' } },
    ]);
    expect(lists.length).toBeLessThanOrEqual(65);
  });
});
