import { expect, test } from 'vitest';
import { type Clock, systemClock } from '../../platform/clock.ts';
import { PATIENCE } from '../../testing/patience.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import { claimOf } from '../../testing/x402/claim-of.ts';
import { openEmbeddedBook, unexpected } from '../../testing/x402/open-payment-book.ts';
import { toldChain } from '../../testing/x402/told-chain.ts';
import type { Facilitator } from '../facilitator.ts';
import { LIMITS } from '../limits.ts';
import { startReconciler } from './start-reconciler.ts';

const UNKNOWN = 20;
/** More questions than this at once no facilitator is asked. */
const AT_ONCE_MAX = 10;

/** Settlements whose end nobody knows; each was signed with its own key. */
const openUnknown = async () => {
  const { log, book } = await openEmbeddedBook(temporaryFolder());
  for (let i = 0; i < UNKNOWN; i++) {
    const claimId = `${i}`;
    const asked = ['SettlementStarted', 'PaymentUnknown'] as const;
    const claimed = claimOf(claimId, { signed: JSON.stringify(claimId) });
    await book.record(`wallet:${i}`, claimId, claimed, ...asked.map((type) => ({ type, claimId })));
  }
  const given: string[] = [];
  const start = (settle: Facilitator['settle'], clock: Clock = systemClock) =>
    startReconciler({
      ...{ log, book, clock, limits: LIMITS, onError: unexpected },
      facilitator: { supported: unexpected, verify: unexpected, settle },
      chainOf: () => toldChain(async () => ({ status: 'not_moved' })),
      giveCredits: async ({ accountId }) => void given.push(accountId),
    });
  return { book, start, given };
};

test('while the facilitator is silent about some payments, credits are given and unused payments given back', async () => {
  const { book, start, given } = await openUnknown();
  const claimId = 'pack';
  const pack = claimOf(claimId, { grant: { accountId: 'a', credits: 100 } });
  const settled = { type: 'PaymentSettled', claimId, transaction: '0xt' } as const;
  await book.record('wallet:pack', claimId, pack, { type: 'SettlementStarted', claimId }, settled);
  await book.record('wallet:dead', 'dead', claimOf('dead', { deadlineUnixMs: Date.now() }));
  const speaking = Promise.withResolvers<void>();
  let asked = 0;
  let now = 0;
  let mostAtOnce = 0;
  const reconciler = start(async () => {
    asked += 1;
    now += 1;
    mostAtOnce = Math.max(mostAtOnce, now);
    await speaking.promise;
    now -= 1;
    return { status: 'settled', transaction: '0xt' };
  });
  await expect.poll(() => given, PATIENCE).toEqual(['a']);
  await expect.poll(() => book.state.payments.get('dead')?.status, PATIENCE).toBe('released');
  speaking.resolve();
  const ended = () => [...book.state.payments.values()].filter(({ status }) => status === 'settled');
  await expect.poll(() => ended().length, PATIENCE).toBe(UNKNOWN + 1);
  expect(asked).toBe(UNKNOWN);
  expect(mostAtOnce).toBeLessThanOrEqual(AT_ONCE_MAX);
  await reconciler.stop();
});

test('payments whose end nobody can tell, however long, leave each of the others its turn', async () => {
  const { start } = await openUnknown();
  const asked = new Set<unknown>();
  let looks = 0;
  const nowUnixMs = (): number => {
    looks += 1;
    // Time leaps on with each look at it: whatever was asked about is due again at once.
    return Date.now() + looks * 120_000;
  };
  const reconciler = start(
    async (signed) => {
      asked.add(signed);
      return { status: 'unknown' };
    },
    { nowUnixMs },
  );
  await expect.poll(() => asked.size, PATIENCE).toBe(UNKNOWN);
  await reconciler.stop();
});
