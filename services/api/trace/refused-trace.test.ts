import { expect, test } from 'vitest';
import { Directory } from '../../accounts/directory.ts';
import { VOIDS_MAX } from '../../credits/decider/state.ts';
import type { Ledger } from '../../credits/ledger.ts';
import type { TraceReader } from '../../investigate/model/trace-reader.ts';
import { issueKey } from '../../testing/issue-key.ts';
import { createMemoryLedger } from '../../testing/memory/memory-ledger.ts';
import { startApi } from '../../testing/start-api.ts';
import { askForNote, NOW, notingReads, readNote } from '../../testing/traced-note.ts';

/** What the search begins with. */
const SEARCH = 'serviceTransfers';

type Setting = {
  readonly credits?: number;
  readonly callsMax?: number;
  readonly submit?: (memory: Ledger) => Ledger['submit'];
  readonly reader?: Partial<TraceReader>;
};

/** The API with one account that has pack credits, and one key. `trace` also says what was looked up. */
const open = async ({ credits = 0, callsMax, submit, reader = {} }: Setting = {}) => {
  const asked: string[] = [];
  const traceReader = notingReads({ ...readNote(), ...reader }, asked);
  const clock = { nowUnixMs: () => NOW * 1_000 };
  const directory = new Directory();
  const key = issueKey(directory);
  const books = createMemoryLedger(clock, callsMax);
  if (credits > 0) await books.submit('account:a', { type: 'AddCredits', id: 'p', credits });
  const ledger = { ...books, submit: submit?.(books) ?? books.submit };
  const api = await startApi({ traceReader, clock, billing: { ledger, directory, isOpen: () => false } });
  const trace = async (headers: Readonly<Record<string, string>> = { authorization: `Bearer ${key}` }) => {
    asked.length = 0;
    const response = await api.post('/trace', askForNote, headers);
    const { code } = (await response.json()) as { code?: string };
    return { code, asked: [...asked].sort() };
  };
  return { trace, asked, books, [Symbol.asyncDispose]: () => api.close({ graceMs: 0 }) };
};

const reserveThree = async (books: Ledger): Promise<void> => {
  for (const callId of ['1', '2', '3']) {
    const call = { callId, tariff: 'trace', keyId: null, deadlineUnixMs: NOW * 1_000 + 60_000 } as const;
    await books.submit('account:a', { type: 'ReserveCall', ...call });
  }
};

test('a key that has nothing to pay with starts no search: as much is looked up as for who has no key', async () => {
  await using service = await open({ credits: 1 });
  const looked = await service.trace({});
  expect(looked).toMatchObject({ code: 'unauthorized', asked: expect.not.arrayContaining([SEARCH]) });
  expect(await service.trace()).toEqual({ code: 'insufficient_credits', asked: looked.asked });
});

test('the fourth call of an account at once starts no search', async () => {
  await using service = await open({ credits: 100 });
  const { asked } = await service.trace({});
  await reserveThree(service.books);
  expect(await service.trace()).toEqual({ code: 'too_many_calls', asked });
});

test('an account whose calls come to nothing starts no search until it may call again', async () => {
  await using service = await open({ credits: 100 });
  const { asked } = await service.trace({});
  for (let i = 0; i < VOIDS_MAX; i += 1) {
    const callId = String(i);
    const call = { callId, tariff: 'trace', keyId: null, deadlineUnixMs: NOW * 1_000 + 60_000 } as const;
    await service.books.submit('account:a', { type: 'ReserveCall', ...call });
    await service.books.submit('account:a', { type: 'VoidCall', callId, reason: 'no_data' });
  }
  expect(await service.trace()).toEqual({ code: 'too_many_calls', asked });
});

test.each([
  { credits: 2, searches: 1 },
  { credits: 100, searches: 3 },
])(
  'of ten calls at once the search starts early for as many as $credits credits and three places are enough for',
  async ({ credits, searches }) => {
    const isAnswering = Promise.withResolvers<void>();
    let reservations = 0;
    await using service = await open({
      credits,
      submit: (memory) => async (payer, command) => {
        if (command.type === 'ReserveCall') reservations += 1;
        await isAnswering.promise;
        return memory.submit(payer, command);
      },
    });
    const calls = Array.from({ length: 10 }, () => service.trace());
    await expect.poll(() => reservations).toBe(10);
    expect(service.asked.filter((name) => name === SEARCH)).toHaveLength(searches);
    isAnswering.resolve();
    const codes = (await Promise.all(calls)).map(({ code }) => code);
    expect(codes.filter((code) => code === undefined).length).toBeGreaterThanOrEqual(searches);
  },
);

test('what was asked ahead of a call that is refused all the same is stopped', async () => {
  const held: AbortSignal[] = [];
  await using service = await open({
    credits: 100,
    callsMax: 0,
    reader: {
      neighbours: ({ signal }) => {
        held.push(signal);
        return new Promise(() => {});
      },
    },
  });
  expect((await service.trace()).code).toBe('unavailable');
  expect(held.map(({ aborted }) => aborted)).toEqual([true]);
});
