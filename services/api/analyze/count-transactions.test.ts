import { expect, test } from 'vitest';
import { findChain } from '../../investigate/model/chain.ts';
import { createCountTransactions } from './count-transactions.ts';

const [AT_ONCE, WAITING] = [4, 100];
const chain = findChain('ethereum');
if (chain === null) throw new Error('ethereum is a chain');

/** Tables that answer none of the questions until they are let go. */
const open = () => {
  const held = Promise.withResolvers<void>();
  const asked: string[] = [];
  const count = createCountTransactions({
    transactionCount: async ({ wallet }) => {
      asked.push(wallet);
      await held.promise;
      return 1;
    },
  });
  const askAs = (accountId: string, address: string, signal = new AbortController().signal) =>
    count({ chain, address }, { kind: 'account', accountId, keyId: 'k' }, signal);
  const askUnpaid = (from: string, address: string) =>
    count({ chain, address }, { kind: 'anyone', from }, new AbortController().signal);
  /** Each time for another account. */
  const ask = (address: string, signal?: AbortSignal) => askAs(address, address, signal);
  return { ask, askAs, askUnpaid, asked, letGo: held.resolve };
};

test('a client that is gone gives up its place in the line, and the tables are not asked for it', async () => {
  const { ask, asked, letGo } = open();
  const gone = new AbortController();
  const running = Array.from({ length: AT_ONCE }, (_, at) => ask(`first ${at}`));
  const left = Array.from({ length: WAITING }, (_, at) => ask(`gone ${at}`, gone.signal));
  const settled = Promise.allSettled(left);
  await expect(ask('too many')).rejects.toMatchObject({ code: 'too_many_calls' });
  gone.abort();
  const late = ask('late');
  await expect(ask('gone before', gone.signal)).rejects.toMatchObject({ code: 'aborted' });
  letGo();
  expect(await Promise.all([...running, late])).toEqual([1, 1, 1, 1, 1]);
  for (const each of await settled)
    expect(each).toMatchObject({ status: 'rejected', reason: { code: 'aborted' } });
  expect(asked).toEqual(['first 0', 'first 1', 'first 2', 'first 3', 'late']);
});

test('who waits is served in the order of coming', async () => {
  const { ask, asked, letGo } = open();
  const calls = Array.from({ length: AT_ONCE + 3 }, (_, at) => ask(`${at}`));
  letGo();
  await Promise.all(calls);
  expect(asked).toEqual(['0', '1', '2', '3', '4', '5', '6']);
});

test('an account does not wait for callers without one, however many they are', async () => {
  const { ask, askUnpaid, asked, letGo } = open();
  const strangers = Array.from({ length: 50 }, (_, at) => askUnpaid(`${at}`, `stranger ${at}`));
  const own = ask('own');
  await expect.poll(() => asked).toEqual(['stranger 0', 'stranger 1', 'own']);
  letGo();
  await Promise.all([...strangers, own]);
});

test('one caller has three places in the line, and has them again when it was answered', async () => {
  const { askAs, askUnpaid, letGo } = open();
  for (const askOne of [askAs, askUnpaid]) {
    const three = ['1', '2', '3'].map((address) => askOne('one', address));
    await expect(askOne('one', '4')).rejects.toMatchObject({
      code: 'too_many_calls',
      headers: { 'Retry-After': '1' },
    });
    const other = askOne('other', '1');
    letGo();
    await Promise.all([...three, other]);
    expect(await askOne('one', '4')).toBe(1);
  }
});
