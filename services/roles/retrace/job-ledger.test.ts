import { expect, test } from 'vitest';
import { Directory } from '../../accounts/directory.ts';
import { issueKey } from '../../testing/issue-key.ts';
import { createMemoryLedger } from '../../testing/memory/memory-ledger.ts';
import { createJobLedger } from './job-ledger.ts';

const NOW = 1_700_000_000_000;
const payment = { accountId: 'a', keyId: 'k' };

const open = () => {
  const ledger = createMemoryLedger({ nowUnixMs: () => NOW });
  const directory = new Directory();
  issueKey(directory, { atUnixMs: NOW });
  return {
    ledger,
    directory,
    jobs: createJobLedger({ log: null as never, codec: null as never, ledger, directory }),
  };
};

test('a plan and pack credits pay together for as many anchors as they would for calls of /trace', async () => {
  const { ledger, jobs } = open();
  expect(jobs.affordable(payment)).toEqual({ anchors: 0, reason: 'insufficient_credits' });
  const plan = {
    type: 'ChangePlan',
    id: 'p',
    plan: 'free',
    cycle: 'monthly',
    paidUntilUnixMs: null,
  } as const;
  await ledger.submit('account:a', plan);
  await ledger.submit('account:a', { type: 'AddCredits', id: 'c', credits: 5 });
  const calls = Array.from({ length: 15 }, (_, at) => `c${at}`);
  const { anchors } = jobs.affordable(payment);
  const outcomes = await Promise.all(
    calls.map((callId) => jobs.charge({ ...payment, callId, deadlineUnixMs: NOW + 60_000 })),
  );
  expect(outcomes.filter((outcome) => outcome === 'charged')).toHaveLength(anchors);
  expect(ledger.balance('account:a')).toMatchObject({ tracesLeft: 0, packCredits: 1, openCalls: 0 });
});

test('a key that was revoked pays for nothing more', async () => {
  const { ledger, directory, jobs } = open();
  await ledger.submit('account:a', { type: 'AddCredits', id: 'c', credits: 5 });
  expect(jobs.affordable(payment).anchors).toBe(2);
  directory.apply({ accountId: 'a', atUnixMs: NOW, event: { type: 'KeyRevoked', keyId: 'k' } });
  expect(jobs.affordable(payment)).toEqual({ anchors: 0, reason: 'key_revoked' });
});
