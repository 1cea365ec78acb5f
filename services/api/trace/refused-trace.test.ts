import { expect, test } from 'vitest';
import { Directory } from '../../accounts/directory.ts';
import { VOIDS_MAX } from '../../credits/decider/state.ts';
import type { Ledger } from '../../credits/ledger.ts';
import { issueKey } from '../../testing/issue-key.ts';
import { createMemoryLedger } from '../../testing/memory/memory-ledger.ts';
import { PATIENCE } from '../../testing/patience.ts';
import { startApi } from '../../testing/start-api.ts';
import { askForNote, BEA, NOW, notingReads, readNote } from '../../testing/traced-note.ts';

type Setting = {
  readonly credits?: number;
  readonly submit?: (memory: Ledger) => Ledger['submit'];
};

/** The API with one account that has pack credits, and one key. `trace` also says what was looked up. */
const open = async ({ credits = 0, submit }: Setting = {}) => {
  const asked: string[] = [];
  const traceReader = notingReads(readNote(), asked);
  const clock = { nowUnixMs: () => NOW * 1_000 };
  const directory = new Directory();
  const key = issueKey(directory);
  const books = createMemoryLedger(clock);
  if (credits > 0) await books.submit('account:a', { type: 'AddCredits', id: 'p', credits });
  const ledger = { ...books, submit: submit?.(books) ?? books.submit };
  const api = await startApi({ traceReader, clock, billing: { ledger, directory, isOpen: () => false } });
  const trace = async (
    headers: Readonly<Record<string, string>> = { authorization: `Bearer ${key}` },
    changed: object = {},
  ) => {
    asked.length = 0;
    const response = await api.post('/trace', { ...askForNote, ...changed }, headers);
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

/** Whatever is wrong with a call, these ask nothing of the tables for it. */
const NOTHING: string[] = [];

test('a call without a key asks nothing of the tables, whether or not it could be traced', async () => {
  await using service = await open({ credits: 100 });
  expect(await service.trace({})).toEqual({ code: 'unauthorized', asked: NOTHING });
  expect(await service.trace({}, { counterparty: BEA })).toEqual({ code: 'unauthorized', asked: NOTHING });
  expect(await service.trace({ authorization: 'Bearer x' })).toEqual({
    code: 'unauthorized',
    asked: NOTHING,
  });
});

test('a key that has nothing to pay with asks nothing of the tables', async () => {
  await using service = await open({ credits: 1 });
  expect(await service.trace()).toEqual({ code: 'insufficient_credits', asked: NOTHING });
});

test('the fourth call of an account at once asks nothing of the tables', async () => {
  await using service = await open({ credits: 100 });
  await reserveThree(service.books);
  expect(await service.trace()).toEqual({ code: 'too_many_calls', asked: NOTHING });
});

test('an account whose calls come to nothing asks nothing of the tables until it may call again', async () => {
  await using service = await open({ credits: 100 });
  for (let i = 0; i < VOIDS_MAX; i += 1)
    expect(await service.trace(undefined, { counterparty: BEA })).toMatchObject({
      code: 'counterparty_not_traceable',
    });
  expect(await service.trace()).toEqual({ code: 'too_many_calls', asked: NOTHING });
});

test('nothing is asked of the tables before the ledger has set aside what it costs', async () => {
  const isAnswering = Promise.withResolvers<void>();
  let reservations = 0;
  await using service = await open({
    credits: 2,
    submit: (memory) => async (payer, command) => {
      if (command.type === 'ReserveCall') reservations += 1;
      await isAnswering.promise;
      return memory.submit(payer, command);
    },
  });
  const calls = Array.from({ length: 10 }, () => service.trace());
  await expect.poll(() => reservations).toBe(10);
  expect(service.asked).toEqual(NOTHING);
  isAnswering.resolve();
  const codes = (await Promise.all(calls)).map(({ code }) => code);
  expect(codes.filter((code) => code === undefined)).toHaveLength(1);
});

test('a call that the tables were asked for and that cannot be traced costs nothing', async () => {
  await using service = await open({ credits: 10 });
  const refused = await service.trace(undefined, { counterparty: BEA });
  expect(refused).toMatchObject({ code: 'counterparty_not_traceable' });
  expect(refused.asked.length).toBeGreaterThan(0);
  const left = () => service.books.balance('account:a');
  await expect.poll(left, PATIENCE).toMatchObject({ packCredits: 10, openCalls: 0 });
});
