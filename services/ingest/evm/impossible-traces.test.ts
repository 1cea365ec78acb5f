import { expect, test } from 'vitest';
import {
  ALICE,
  BOB,
  CAROL,
  decode,
  FEES,
  hex,
  MINER,
  rowsOf,
  TOKEN,
} from '../../testing/evm/small-evm-block.ts';

type Frame = Record<string, unknown>;

const frame = (type: string, from: string, to: string, value: number | bigint, calls?: Frame[]): Frame => ({
  ...{ type, from, to, value: hex(value), input: '0x', ...(calls ? { calls } : {}) },
});
const told = ({ problems }: ReturnType<typeof decode>): string[] => problems.map(({ code }) => code);
const OWN = ['transfer a>b 5 native', ...FEES];
const ETHER = 10n ** 18n;

test.each<[string, Frame[]]>([
  ['pays from another account than runs', [frame('CALL', CAROL, MINER, 2)]],
  ['makes an account with what another one has', [frame('CREATE', CAROL, TOKEN, 2)]],
  [
    'pays from the account that lent the code',
    [frame('DELEGATECALL', BOB, CAROL, 5, [frame('CALL', CAROL, MINER, 2)])],
  ],
  ['moves more ether than there is', [frame('CALL', BOB, CAROL, 200_000_000n * ETHER)]],
  ['moves a negative amount, told as 256 bits', [frame('CALL', BOB, CAROL, 2n ** 256n - 9n)]],
  ['destroys more ether than there is', [frame('SELFDESTRUCT', BOB, CAROL, 200_000_000n * ETHER)]],
  ['goes on after a self-destruct', [frame('SELFDESTRUCT', BOB, CAROL, 1), frame('CALL', BOB, MINER, 2)]],
  ['destroys itself twice', [frame('SELFDESTRUCT', BOB, CAROL, 1), frame('SELFDESTRUCT', BOB, CAROL, 1)]],
  ['calls out of a self-destruct', [frame('SELFDESTRUCT', BOB, CAROL, 1, [frame('CALL', BOB, MINER, 2)])]],
  ['pays where nothing may change', [frame('STATICCALL', BOB, CAROL, 0, [frame('CALL', CAROL, MINER, 2)])]],
  [
    'pays in a call that a call makes where nothing may change',
    [frame('STATICCALL', BOB, CAROL, 0, [frame('CALL', CAROL, TOKEN, 0, [frame('CALL', TOKEN, MINER, 2)])])],
  ],
  [
    'destroys itself where nothing may change',
    [frame('STATICCALL', BOB, CAROL, 0, [frame('SELFDESTRUCT', CAROL, MINER, 2)])],
  ],
])('a trace that %s is not believed, and that is told', (_, calls) => {
  const decoded = decode([{ trace: { calls } }], {}, true);
  expect(rowsOf(decoded)).toEqual(OWN);
  expect(told(decoded)).toEqual(['trace_contradicts']);
  expect(decoded.exempt.trace_contradicts).toEqual([0]);
});

test('what failed need not be possible, and code that was borrowed pays from its borrower', () => {
  const failed = { ...frame('CALL', CAROL, MINER, 2), error: 'out of gas' };
  const ended = { ...frame('SELFDESTRUCT', BOB, CAROL, 1), error: 'out of gas' };
  const borrowed = frame('DELEGATECALL', BOB, CAROL, 5, [
    frame('CALLCODE', BOB, TOKEN, 0, [frame('CALL', BOB, MINER, 2)]),
  ]);
  const decoded = decode([{ trace: { calls: [failed, ended, borrowed] } }], {}, true);
  expect(rowsOf(decoded)).toEqual(['transfer a>b 5 native', 'transfer b>d 2 native', ...FEES]);
  expect(told(decoded)).toEqual([]);
});

test.each<[string, Frame, boolean]>([
  ['neither gas nor output', {}, false],
  ['output and no gas, as of an account without code', { output: '0x' }, true],
  ['gas', { gas: '0x1', gasUsed: '0x0' }, true],
  ['calls of its own', { calls: [] }, true],
])('a call with %s was entered: %j, %s', (_, fields, isEntered) => {
  const call = { ...frame('CALL', BOB, CAROL, 2), ...fields };
  const decoded = decode([{ trace: { gas: '0x9', gasUsed: '0x9', calls: [call] } }], {}, true);
  expect(rowsOf(decoded).includes('transfer b>c 2 native')).toBe(isEntered);
  expect(told(decoded)).toEqual(isEntered ? [] : ['trace_contradicts']);
});

test('without gas in the whole trace nothing says that a call was not entered', () => {
  const decoded = decode([{ trace: { calls: [frame('CALL', BOB, CAROL, 2)] } }], {}, true);
  expect(rowsOf(decoded)).toContain('transfer b>c 2 native');
});

test.each([
  ['an empty error', { error: '' }, true],
  ['an empty reason', { error: null, revertReason: null }, true],
  ['a reason why it was reverted, and no error', { revertReason: 'no' }, false],
])('a call with %s moved something: %j, %s', (_, fields, moves) => {
  const call = { ...frame('CALL', BOB, CAROL, 2), ...fields };
  const decoded = decode([{ trace: { calls: [call] } }], {}, true);
  expect(rowsOf(decoded).includes('transfer b>c 2 native')).toBe(moves);
});

test('a trace of the same sender’s other call of a contract is not believed', () => {
  const decoded = decode([{ tx: { input: '0xABcd' }, trace: { input: '0xabce' } }], {}, true);
  expect(told(decoded)).toEqual(['trace_contradicts']);
  expect(told(decode([{ tx: { input: '0xABcd' }, trace: { input: '0xabcd' } }], {}, true))).toEqual([]);
});

test('a trace that makes another contract than the receipt tells is not believed', () => {
  const made = {
    tx: { to: null },
    receipt: { contractAddress: CAROL },
    trace: { type: 'CREATE', to: MINER },
  };
  const decoded = decode([made], {}, true);
  expect(rowsOf(decoded)).toEqual(['transfer a>c 5 native', ...FEES]);
  expect(told(decoded)).toEqual(['trace_contradicts']);
});

const MADE = { type: 'CREATE', to: CAROL, gas: '0x9999', gasUsed: '0x9000' };
const pays = (number: number, trace: Frame): boolean => {
  const receipt = { status: undefined, contractAddress: CAROL, gasUsed: '0x9000' };
  const tx = { to: null, gas: '0x9999', type: '0x0' };
  const block = { number: hex(number), baseFeePerGas: undefined, withdrawals: undefined };
  return rowsOf(decode([{ tx, receipt, trace }], block, true)).includes('transfer a>c 5 native');
};

test.each([
  ['for want of gas to store its code', { error: 'contract creation code storage out of gas' }, true],
  ['and gas was left', { error: 'out of gas' }, true],
  [
    'for want of coins, which takes no gas',
    { error: 'insufficient balance for transfer', gasUsed: '0x0' },
    false,
  ],
  ['and all of the gas was used', { error: 'out of gas', gasUsed: '0x9999' }, false],
])('before Homestead a creation that failed %s was paid: %j, %s', (_, fields, isPaid) => {
  expect(pays(1_149_999, { ...MADE, ...fields })).toBe(isPaid);
  expect(pays(1_150_000, { ...MADE, ...fields })).toBe(false);
});

test('before Homestead a contract made by another one without its code keeps what it was sent', () => {
  const error = 'contract creation code storage out of gas';
  const calls = [{ ...frame('CREATE', BOB, CAROL, 2), error }];
  const block = { number: hex(49_018), baseFeePerGas: undefined, withdrawals: undefined };
  expect(rowsOf(decode([{ trace: { calls } }], block, true))).toContain('transfer b>c 2 native');
});

test.each([
  ['Cancun', { blobGasUsed: '0x0' }, true],
  ['Amsterdam, by its list of accessed accounts', { blockAccessListHash: hex(1) }, false],
  ['Amsterdam, by the number of its slot', { blobGasUsed: '0x0', slotNumber: '0x1' }, false],
])(
  'since %s an account that destroys itself as it is made burns what it holds: %j, %s',
  (_, block, burns) => {
    const calls = [frame('CREATE2', BOB, CAROL, 9, [frame('SELFDESTRUCT', CAROL, CAROL, 9)])];
    const decoded = decode([{ trace: { calls } }], block, true);
    expect(rowsOf(decoded).includes('burn c>nobody 9 native')).toBe(burns);
    const later = [
      frame('CREATE2', BOB, CAROL, 9, [frame('SELFDESTRUCT', CAROL, ALICE, 9)]),
      frame('CALL', BOB, CAROL, 2),
    ];
    const rows = rowsOf(decode([{ trace: { calls: later } }], block, true));
    expect(rows.includes('burn c>nobody 2 native')).toBe(burns);
    expect(rows).toContain('transfer c>a 9 native');
  },
);

test('on a chain that names more coins than ether an amount of a great many is one', () => {
  const calls = [frame('CALL', BOB, CAROL, 200_000_000n * ETHER)];
  const decoded = decode([{ trace: { calls } }], { chain: 'polygon' }, true);
  expect(rowsOf(decoded)).toContain(`transfer b>c ${200_000_000n * ETHER} native`);
});

test('a value of more ether than there is is no row, and told', () => {
  const decoded = decode([{ tx: { value: hex(200_000_000n * ETHER) } }, {}]);
  expect(rowsOf(decoded)).toEqual(OWN);
  expect(told(decoded)).toEqual(['transaction_malformed']);
});
