import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { traceAmounts } from '../details/trace-amounts.ts';
import { FORWARD } from '../direction.ts';
import type { FlowTransfer } from './flow-graph.ts';
import { tracePayments } from './trace-payments.ts';

const at = (time: number) => ({ blockTime: time, blockNumber: time, txIndex: 0 });
const pay = (time: number, from: string, to: string, amountRaw: bigint): FlowTransfer => ({
  ...{ ...at(time), from, to, amountRaw, type: 'transfer', through: [], isKept: false },
  ...{ probability: 1, isBeyond: false },
});
const took = (time: number, wallet: string, amountRaw: bigint) => ({ ...at(time), wallet, amountRaw });
const options = { direction: FORWARD, minProbability: 0, unlimited: new Set<string>() };

describe('a wallet that pays on within the transaction that pays it', () => {
  const paid = [pay(2, 'ann', 'desk', 50n), pay(2, 'desk', 'one', 60n), pay(2, 'desk', 'two', 40n)];
  const taken = [took(1, 'ann', 50n), took(1, 'bea', 50n)];
  const straight = [pay(2, 'bea', 'desk', 50n)];

  test.each([
    ['by two payers', taken, straight],
    ['through another', taken, [pay(2, 'bea', 'via', 50n), pay(2, 'via', 'desk', 50n)]],
    ['though a unit lay there before', [...taken, took(1, 'desk', 1n)], straight],
  ])('pays on all that reached it, %s', async (_, deposits, second) => {
    await fc.assert(
      fc.asyncProperty(
        fc.shuffledSubarray([...paid, ...second], { minLength: paid.length + second.length }),
        async (all) => {
          const { of } = await tracePayments(deposits, all, options);
          expect([of('one').arrivedRaw, of('two').arrivedRaw]).toEqual([60n, 40n]);
        },
      ),
    );
  });

  test('ends where money goes round in it', async () => {
    const { of } = await tracePayments(
      [took(1, 'ann', 50n)],
      [
        pay(2, 'ann', 'bea', 50n),
        pay(2, 'bea', 'cyd', 50n),
        pay(2, 'cyd', 'bea', 50n),
        pay(2, 'eve', 'ann', 9n),
      ],
      options,
    );
    expect(of('bea')).toEqual({ arrivedRaw: 100n, leftRaw: 50n, restRaw: 50n });
  });
});

test('money whose transaction is not known was not there before its time', async () => {
  const deposit = (time: number, wallet: string, amountRaw: bigint) => ({
    ...took(time, wallet, amountRaw),
    blockNumber: 0,
  });
  const { of } = await tracePayments(
    [deposit(1, 'ann', 100n), deposit(1_000, 'bea', 50n)],
    [pay(5, 'ann', 'bea', 10n), pay(10, 'bea', 'cyd', 60n)],
    options,
  );
  expect(of('cyd').arrivedRaw).toBe(10n);
  expect(of('bea')).toEqual({ arrivedRaw: 60n, leftRaw: 10n, restRaw: 50n });
});

test('of a start of which all was taken, what it pays is all traced, though another start added money of its own', async () => {
  const deposits = [took(1, 'ann', 50n), took(1, 'bea', 0n)];
  const payments = [pay(2, 'ann', 'bea', 100n), pay(3, 'bea', 'cyd', 100n), pay(4, 'bea', 'dot', 30n)];
  const { of, carried, takenRaw } = await tracePayments(deposits, payments, {
    ...options,
    unlimited: new Set(['bea']),
  });
  expect(payments.map((payment) => carried([payment]))).toEqual([50n, 100n, 30n]);
  expect(of('bea')).toEqual({ arrivedRaw: 130n, leftRaw: 130n, restRaw: 0n });
  expect(takenRaw).toBe(130n);
});

test('of money that senders mix with their own, each payment of a chain carries as much as a trail says', async () => {
  const amount = fc.bigInt({ min: 1n, max: 10n ** 20n });
  await fc.assert(
    fc.asyncProperty(amount, fc.array(amount, { minLength: 1, maxLength: 8 }), async (takenRaw, amounts) => {
      const payments = amounts.map((amountRaw, n) => pay(n + 2, `w${n}`, `w${n + 1}`, amountRaw));
      const hops = amounts.map((amountRaw, n) => ({ amountRaw, arrivedRaw: amounts[n - 1] ?? takenRaw }));
      const { carried } = await tracePayments([took(1, 'w0', takenRaw)], payments, options);
      const trail = traceAmounts({ arrivedRaw: takenRaw, tracedRaw: takenRaw }, hops);
      expect(payments.map((payment) => carried([payment]))).toEqual(trail.map(({ tracedRaw }) => tracedRaw));
    }),
  );
});
