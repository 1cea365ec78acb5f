import { expect, test } from 'vitest';
import { REMEMBERED_MS } from '../../credits/decider/state.ts';
import { type Ledger, LedgerUnavailableError } from '../../credits/ledger.ts';
import { createMemoryIdempotency } from '../../testing/memory/memory-idempotency.ts';
import { createMemoryLedger } from '../../testing/memory/memory-ledger.ts';
import { PATIENCE } from '../../testing/patience.ts';
import { createChargeCall } from './charge-call.ts';

const START = 1_700_000_000_000;
const LOGGER = { info: () => {}, error: () => {} };
const REQUEST = { key: 'order-1', path: '/follow', body: () => ({ address: 'a' }) };
const ACCOUNT = { kind: 'account', accountId: 'a', keyId: 'k', once: REQUEST } as const;

const openWorld = async () => {
  let nowUnixMs = START;
  const clock = { nowUnixMs: () => nowUnixMs };
  const memory = createMemoryLedger(clock);
  await memory.submit('account:a', { type: 'AddCredits', id: 'pack', credits: 10 });
  const idempotency = createMemoryIdempotency(START);
  /** A process whose way to the ledger is this. */
  const openProcess = (submit: Ledger['submit']) =>
    createChargeCall({ ledger: { ...memory, submit }, clock, logger: LOGGER, idempotency });
  const pass = (ms: number): void => {
    nowUnixMs += ms;
  };
  return { memory, openProcess, pass, left: () => memory.balance('account:a').packCredits };
};

const work = async () => ({ answer: 'trail', free: null });

test('an answer whose client left is taken back though another process had charged for it, and the ledger was away when it was to be', async () => {
  const { memory, openProcess, left } = await openWorld();
  const [posted, refused] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const another = openProcess(async (payer, command) => {
    const answer = await memory.submit(payer, command);
    posted.resolve();
    await refused.promise;
    return answer;
  });
  let isAway = true;
  const one = openProcess(async (payer, command) => {
    if (command.type !== 'VoidCall' || !isAway) return memory.submit(payer, command);
    isAway = false;
    refused.resolve();
    throw new LedgerUnavailableError();
  });
  const repeated = Promise.withResolvers<unknown>();
  const isGone = async (): Promise<boolean> => {
    another({ caller: ACCOUNT, tariff: 'follow' }, work).then(repeated.resolve, repeated.resolve);
    await posted.promise;
    return true;
  };
  const left1 = one({ caller: { ...ACCOUNT, isGone }, tariff: 'follow' }, work);
  await expect(left1).rejects.toMatchObject({ code: 'client_closed' });
  expect(await repeated.promise).toMatchObject({ code: 'call_in_progress' });
  await expect.poll(left, PATIENCE).toBe(10);
});

test('a charge that nobody was told of is taken back for as long as the ledger knows its call', async () => {
  const { memory, openProcess, pass, left } = await openWorld();
  let tries = 0;
  const charge = openProcess(async (payer, command) => {
    if (command.type === 'VoidCall') {
      tries += 1;
      // Past its deadline, and as long as it may be after that.
      if (tries === 1) pass(120_000 + REMEMBERED_MS - 1);
      if (tries === 1) throw new LedgerUnavailableError();
    }
    const answer = await memory.submit(payer, command);
    if (command.type === 'PostCall') throw new LedgerUnavailableError();
    return answer;
  });
  const call = charge({ caller: { ...ACCOUNT, once: null }, tariff: 'follow' }, work);
  await expect(call).rejects.toThrow(LedgerUnavailableError);
  await expect.poll(left, PATIENCE).toBe(10);
});
