import { toEventSelector } from 'viem';
import { expect, test } from 'vitest';
import { createBlockEncoder } from '../../../events/encode-block.ts';
import type { ControlEvent } from '../../../investigate/model/control-event.ts';
import {
  ALICE,
  address,
  BOB,
  CAROL,
  decode,
  hex,
  log,
  type Part,
  TOKEN,
  transfer,
  USDC,
  word,
} from '../../../testing/evm/small-evm-block.ts';
import { PERMIT2 } from './approvals.ts';

const SPENDER = address('5');
const NOBODY = address('0');
const USDT = '0xdac17f958d2ee523a2206206994597c13d831ec7';
const APPROVAL = toEventSelector('Approval(address,address,uint256)');
const topic = toEventSelector;

/** Without calls: most transactions here are some. */
const controlOf = (part: Part, traced = false): ControlEvent[] => {
  const block = decode([part], {}, traced);
  // Whatever is decoded can be written.
  expect(createBlockEncoder(1)(block)).toHaveLength(1);
  return block.controlEvents.filter(({ kind }) => kind !== 'calls');
};
const told = (logs: Record<string, unknown>[], part: Part = {}, traced = false): ControlEvent[] =>
  controlOf({ ...part, receipt: { logs, ...part.receipt } }, traced);
const approval = (holder: string, spender: string, amount: number, at = TOKEN) =>
  log([APPROVAL, word(holder), word(spender)], word(hex(amount)), at);

test('contracts are told with who made them: the sender, and the contract that did it for him where a trace shows it', () => {
  const [made, inner, undone] = ['1', '2', '3'].map((digit) => address(digit));
  const trace = {
    ...{ type: 'CREATE', to: made, value: '0x5', gas: '0x1', gasUsed: '0x1' },
    calls: [
      { type: 'CREATE2', from: made, to: inner, gas: '0x1' },
      { type: 'CREATE', from: made, to: undone, gas: '0x1', error: 'execution reverted' },
    ],
  };
  const part = { tx: { to: null }, receipt: { contractAddress: made } };
  const created = { kind: 'contract_created', holder: ALICE, byHolder: true };
  expect(controlOf({ ...part, trace }, true)).toMatchObject([
    { ...created, txIndex: 0, index: 0, subject: made, party: null },
    { ...created, txIndex: 0, index: 1, subject: inner, party: made },
  ]);
  expect(controlOf(part)).toMatchObject([{ ...created, subject: made, party: null }]);
});

test('how much of control a block keeps depends on whether all of it was traced', () => {
  expect(decode([{}], {}, true).controlCoverage).toBe('full');
  expect(decode([{}]).controlCoverage).toBe('outer');
  expect(decode([{ trace: { from: BOB } }], {}, true).controlCoverage).toBe('outer');
});

test('owners and admins that change are told with who was it before, and code that changes with the new one', () => {
  const [owned, admin] = [
    topic('OwnershipTransferred(address,address)'),
    topic('AdminChanged(address,address)'),
  ];
  expect(
    told([
      log([owned, word(ALICE), word(BOB)], '0x'),
      log([owned], word(ALICE) + word(NOBODY).slice(2)),
      log([owned, word(NOBODY), word(CAROL)], '0x'),
      log([admin], word(BOB) + word(CAROL).slice(2)),
      log([topic('Upgraded(address)'), word(SPENDER)], '0x'),
      log([topic('BeaconUpgraded(address)'), word(SPENDER)], '0x'),
      log([owned, word(ALICE)], '0x'),
    ]).map(({ kind, subject, holder, party, detail, byHolder }) => [
      kind,
      subject,
      holder,
      party,
      detail,
      byHolder,
    ]),
  ).toEqual([
    ['authority_changed', TOKEN, ALICE, BOB, 'owner', true],
    ['authority_changed', TOKEN, ALICE, null, 'owner', true],
    ['authority_changed', TOKEN, null, CAROL, 'owner', false],
    ['authority_changed', TOKEN, BOB, CAROL, 'proxy_admin', false],
    ['program_upgraded', TOKEN, null, SPENDER, null, false],
    ['program_upgraded', TOKEN, null, SPENDER, 'beacon', false],
  ]);
});

test('an approval is its holder’s where he sent it, and a token’s word about anybody else is marked as no more', () => {
  expect(
    told([approval(ALICE, SPENDER, 300), approval(BOB, SPENDER, 7), approval(ALICE, SPENDER, 0)]),
  ).toMatchObject([
    { kind: 'approval', subject: TOKEN, holder: ALICE, party: SPENDER, amountRaw: 300n, byHolder: true },
    { kind: 'approval', holder: BOB, amountRaw: 7n, byHolder: false },
    { kind: 'approval', holder: ALICE, amountRaw: 0n, byHolder: true },
  ]);
});

const PERMIT = '0xd505accf';
const permitInput = (owner: string, spender: string) =>
  PERMIT + word(owner).slice(2) + word(spender).slice(2);

test('an approval by a signature that somebody else sent is a permit: by its call in the trace, or in the input without one', () => {
  const logs = [approval(BOB, SPENDER, 7)];
  const bundled = { tx: { input: `0xac9650d8${permitInput(BOB, SPENDER).slice(2)}` } };
  expect(told(logs, bundled)).toMatchObject([
    { kind: 'permit', holder: BOB, party: SPENDER, byHolder: false },
  ]);
  expect(told(logs, { tx: { input: permitInput(CAROL, SPENDER) } })).toMatchObject([{ kind: 'approval' }]);
  const calling = (from: string, to: string, input: string) => ({
    trace: { gas: '0x1', calls: [{ type: 'CALL', from, to, input, gas: '0x1' }] },
  });
  const permitted = calling(BOB, TOKEN, permitInput(BOB, SPENDER).toUpperCase().replace('0X', '0x'));
  expect(told(logs, calling(SPENDER, TOKEN, permitInput(BOB, SPENDER)), true)).toMatchObject([
    { kind: 'permit' },
  ]);
  expect(told(logs, calling(SPENDER, USDC, permitInput(BOB, SPENDER)), true)).toMatchObject([
    { kind: 'approval' },
  ]);
  // A smart account that calls the token itself needs no signature.
  expect(told(logs, permitted, true)).toMatchObject([{ kind: 'approval', byHolder: true }]);
  expect(told([approval(ALICE, SPENDER, 7)], bundled)).toMatchObject([{ kind: 'approval', byHolder: true }]);
});

test('approvals of single NFTs and of whole collections are told apart from amounts', () => {
  const all = topic('ApprovalForAll(address,address,bool)');
  expect(
    told([
      log([APPROVAL, word(ALICE), word(SPENDER), word('0x2a')], '0x'),
      log([APPROVAL, word(ALICE), word(NOBODY), word('0x2a')], '0x'),
      log([all, word(ALICE), word(SPENDER)], word('0x1')),
      log([all, word(ALICE), word(SPENDER)], word('0x0')),
    ]).map(({ party, amountRaw, detail }) => [party, amountRaw, detail]),
  ).toEqual([
    [SPENDER, 1n, 'id:42'],
    [null, 0n, 'id:42'],
    [SPENDER, 1n, 'all'],
    [SPENDER, 0n, 'all'],
  ]);
});

test('Permit2’s own allowances are of the token that they name, until they end, and nobody else’s word counts for them', () => {
  const words = (...values: string[]) => `0x${values.map((value) => word(value).slice(2)).join('')}`;
  const allowed = topic('Approval(address,address,address,uint160,uint48)');
  const signed = topic('Permit(address,address,address,uint160,uint48,uint48)');
  const locked = topic('Lockdown(address,address,address)');
  const of = (event: string, holder: string, at = PERMIT2) =>
    log([event, word(holder), word(USDC), word(SPENDER)], words('0x12c', '0x65000000', '0x1'), at);
  const logs = [
    ...[of(allowed, ALICE), of(signed, BOB), of(allowed, BOB, TOKEN)],
    log([locked, word(ALICE)], words(USDC, SPENDER), PERMIT2),
  ];
  const parties = { subject: USDC, party: SPENDER, emitter: PERMIT2 };
  expect(told(logs)).toMatchObject([
    {
      kind: 'approval',
      ...parties,
      holder: ALICE,
      amountRaw: 300n,
      detail: 'until:1694498816',
      byHolder: true,
    },
    { kind: 'permit', ...parties, holder: BOB, amountRaw: 300n, byHolder: false },
    { kind: 'approval', ...parties, holder: ALICE, amountRaw: 0n, detail: null },
  ]);
});

test('an account is frozen by the contract of a listed stablecoin alone, in each issuer’s form', () => {
  const indexed = (event: string, at: string) => log([topic(event), word(BOB)], '0x', at);
  const events = told([
    indexed('Blacklisted(address)', USDC),
    indexed('UnBlacklisted(address)', USDC),
    log([topic('AddedBlackList(address)')], word(BOB), USDT),
    log([topic('RemovedBlackList(address)')], word(BOB), USDT),
    indexed('BlockPlaced(address)', USDT),
    indexed('Blacklisted(address)', TOKEN),
    log([topic('AddedBlackList(address)')], '0x', USDT),
  ]);
  expect(events.map(({ kind, subject, holder, party }) => [kind, subject, holder, party])).toEqual([
    ['frozen', USDC, BOB, ALICE],
    ['thawed', USDC, BOB, ALICE],
    ['frozen', USDT, BOB, ALICE],
    ['thawed', USDT, BOB, ALICE],
    ['frozen', USDT, BOB, ALICE],
  ]);
});

test('a transaction that failed tells of no control, and movements are the same with and without control events', () => {
  const logs = [approval(ALICE, SPENDER, 3), transfer(ALICE, BOB, 5)];
  expect(controlOf({ receipt: { status: '0x0', logs: [] }, tx: { to: null } })).toEqual([]);
  const { movements } = decode([{ receipt: { logs } }]);
  expect(movements).toEqual(decode([{ receipt: { logs: logs.slice(1) } }]).movements);
});
