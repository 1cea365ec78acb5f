import { describe, expect, test } from 'vitest';
import { createMemoBinder, hashRequest } from '../offer/bind-request.ts';
import { reasonOf } from '../reasons.ts';
import { readSettlement } from './settlement.ts';

const HASH = `0x${'ab'.repeat(32)}`;
const SIGNATURE = '1'.repeat(64);

test('a transaction of Solana is the signature of one', () => {
  const network = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp';
  const read = (transaction: string) => readSettlement(network, { success: true, transaction });
  expect(read(SIGNATURE)).toEqual({ status: 'settled', transaction: SIGNATURE });
  for (const transaction of [HASH, SIGNATURE.slice(1), `0${SIGNATURE.slice(1)}`])
    expect(read(transaction)).toEqual({ status: 'unknown' });
});

describe('what a facilitator says of the money', () => {
  test.each([
    [
      { success: true, transaction: HASH },
      { status: 'settled', transaction: HASH },
    ],
    // No transaction of this network.
    [{ success: true, transaction: '0xt' }, { status: 'unknown' }],
    [{ success: true, transaction: SIGNATURE }, { status: 'unknown' }],
    [{ success: true, transaction: `${HASH}00` }, { status: 'unknown' }],
    [{ success: true, transaction: `<script>${HASH}` }, { status: 'unknown' }],
    // It says so, and does not say how.
    [{ success: true, transaction: '' }, { status: 'unknown' }],
    [
      { success: false, transaction: '', errorReason: 'invalid_exact_evm_insufficient_balance' },
      { status: 'failed', reason: 'insufficient_funds' },
    ],
    // Another transaction of the same payment may have been first.
    [
      { success: false, transaction: '0xt', errorReason: 'invalid_exact_evm_transaction_failed' },
      { status: 'unknown' },
    ],
    // Said after it was sent.
    [
      { success: false, transaction: '', errorReason: 'invalid_exact_evm_transfer_event_mismatch' },
      { status: 'unknown' },
    ],
    [
      { success: false, transaction: '0xt', errorReason: 'invalid_exact_evm_insufficient_balance' },
      { status: 'unknown' },
    ],
    // Sent or not, nobody knows.
    [
      { success: false, transaction: '', errorReason: 'invalid_exact_svm_transaction_failed' },
      { status: 'unknown' },
    ],
    [{ success: false, transaction: '0xt', errorReason: 'settlement_pending' }, { status: 'unknown' }],
    [{ success: false, transaction: '', errorReason: 'duplicate_settlement' }, { status: 'unknown' }],
    // By whom: for us, or to take it back?
    [
      { success: false, transaction: '', errorReason: 'invalid_exact_evm_nonce_already_used' },
      { status: 'unknown' },
    ],
    [{ success: false, transaction: '', errorReason: 'a word of tomorrow' }, { status: 'unknown' }],
  ])('%o means %o', (answer, settlement) => {
    expect(readSettlement('eip155:8453', answer)).toEqual(settlement);
  });

  test.each([
    ['invalid_exact_evm_payload_authorization_valid_before', 'payment_expired'],
    ['invalid_exact_evm_payload_authorization_value_mismatch', 'wrong_price'],
    ['invalid_exact_evm_signature', 'invalid_signature'],
    ['invalid_exact_svm_payload_memo_mismatch', 'wrong_request'],
    ['invalid_exact_svm_transaction_simulation_failed', 'simulation_failed'],
    ['http://10.0.0.1 refused', 'simulation_failed'],
    [undefined, 'simulation_failed'],
  ])('%s is refused as %s', (theirs, ours) => {
    expect(reasonOf(theirs)).toBe(ours);
  });
});

describe('the memo of an offer', () => {
  const terms = ['request', 'solana:x', 'usdc', '100000', 'us'];
  const binder = createMemoBinder(Buffer.alloc(32, 1));

  test('says when it was given out, and fits its terms only', () => {
    const memo = binder.bind(terms, 1_700_000_000_999);
    expect(memo.length).toBeLessThan(256);
    expect(binder.check(memo, terms)).toBe(1_700_000_000_000);
    for (const [i] of terms.entries()) expect(binder.check(memo, terms.with(i, 'other'))).toBeNull();
    expect(createMemoBinder(Buffer.alloc(32, 2)).check(memo, terms)).toBeNull();
    for (const forged of [memo.slice(0, -1), `0${memo}`, '', null, 5])
      expect(binder.check(forged, terms)).toBeNull();
  });

  test('is another one each time', () => {
    expect(binder.bind(terms, 1)).not.toBe(binder.bind(terms, 1));
  });
});

test('a request is the same however its members are ordered, and another by any value or route', () => {
  const hash = hashRequest('/follow', { a: 1, b: { c: [1, 2], d: null } });
  expect(hashRequest('/follow', { b: { d: null, c: [1, 2] }, a: 1 })).toBe(hash);
  expect(hashRequest('/trace', { a: 1, b: { c: [1, 2], d: null } })).not.toBe(hash);
  expect(hashRequest('/follow', { a: 1, b: { c: [2, 1], d: null } })).not.toBe(hash);
  expect(hashRequest('/follow', { a: '1', b: { c: [1, 2], d: null } })).not.toBe(hash);
});
