import { expect, test } from 'vitest';
import { BOB, CAROL, decode, hex, MINER } from '../testing/evm/small-evm-block.ts';
import { CALLERS_NAMED, CallCounts } from './count-calls.ts';

test('calls are counted for each program and caller, and stand in the first transaction of theirs', () => {
  const call = { tx: { input: '0xa9059cbb' }, receipt: { gasUsed: '0x9000' } };
  const block = decode([
    ...[call, {}, call, { tx: { ...call.tx, to: CAROL }, receipt: call.receipt }],
    { tx: { ...call.tx, from: MINER }, receipt: call.receipt },
    { ...call, receipt: { status: '0x0' } },
    // Words to a wallet: 4 bytes at 16 gas, or at 40.
    { tx: { input: '0x11223344' }, receipt: { gasUsed: hex(21_064) } },
    { tx: { input: '0x11223300' }, receipt: { gasUsed: hex(21_130) } },
  ]);
  expect(block.controlEvents).toMatchObject([
    { kind: 'calls', txIndex: 0, index: 0, subject: BOB, amountRaw: 2n },
    { kind: 'calls', txIndex: 4, index: 0, subject: BOB, party: MINER, amountRaw: 1n },
    { kind: 'calls', txIndex: 3, index: 0, subject: CAROL, amountRaw: 1n },
  ]);
});

test('a program that many call is one count more than the callers that are named, of whom none is lost', () => {
  const counts = new CallCounts();
  for (let caller = 0; caller < 40; caller++)
    for (let calls = 0; calls <= caller % 5; calls++)
      counts.add('program', `caller ${caller}`, { txIndex: caller });
  const before = {
    txIndex: 4,
    index: 2,
    kind: 'approval',
    subject: 'token',
    holder: null,
    party: null,
  } as const;
  const none = { asset: null, amountRaw: 0n, detail: null, emitter: null, byHolder: false };
  const events = counts.toEvents([{ ...before, ...none }]);
  expect(events).toHaveLength(CALLERS_NAMED + 1);
  expect(events.reduce((sum, { amountRaw }) => sum + amountRaw, 0n)).toBe(8n * (1n + 2n + 3n + 4n + 5n));
  expect(events[0]).toMatchObject({ party: 'caller 4', txIndex: 4, index: 3, amountRaw: 5n });
  expect(events.at(-1)).toMatchObject({ party: null });
});
