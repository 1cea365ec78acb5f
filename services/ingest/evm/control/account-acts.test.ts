import { toEventSelector } from 'viem';
import { expect, test } from 'vitest';
import { address, BOB, CAROL, decode, hex, log, word } from '../../../testing/evm/small-evm-block.ts';

const OPERATION = toEventSelector('UserOperationEvent(bytes32,address,address,uint256,bool,uint256,uint256)');
const ENTRY_POINT = '0x0000000071727de22e5e9d8baf0edac6f37da032';
const HASH = word(hex(7));

const acted = (...logs: Record<string, unknown>[]) =>
  decode([{ receipt: { logs } }])
    .controlEvents.filter(({ kind }) => kind === 'account_acted')
    .map(({ subject, emitter }) => [subject, emitter]);

test.each([
  'ExecutionSuccess(bytes32,uint256)',
  'Execution(uint256)',
  'Transacted(address,address,bytes32,address,uint256,bytes)',
])('a wallet that logs %s did what its owners signed', (event) => {
  expect(acted(log([toEventSelector(event)], word(hex(1)), BOB))).toEqual([[BOB, null]]);
});

test('an operation of an ERC-4337 account is told by the EntryPoint, and by nobody else', () => {
  const operation = (at: string) =>
    log([OPERATION, HASH, word(BOB), word(CAROL)], `0x${'0'.repeat(256)}`, at);
  expect(acted(operation(ENTRY_POINT))).toEqual([[BOB, ENTRY_POINT]]);
  expect(acted(operation(address('9')))).toEqual([]);
});

test('what a module of a Safe did, no owner signed', () => {
  expect(
    acted(log([toEventSelector('ExecutionFromModuleSuccess(address)'), word(CAROL)], '0x', BOB)),
  ).toEqual([]);
});
