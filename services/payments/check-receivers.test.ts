import { expect, test } from 'vitest';
import type { PaymentNetwork } from '../platform/config/x402.ts';
import { checkReceivers } from './check-receivers.ts';

const EVM = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const SOLANA = '9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin';
const receivers = (evm: string, solana: string): PaymentNetwork[] => [
  { network: 'eip155:8453', payTo: evm, rpcUrl: '' },
  { network: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp', payTo: solana, rpcUrl: '' },
];

test('an address in small letters, or in the mixed case of its checksum, and base58 of 32 bytes receive', () => {
  expect(() => checkReceivers(receivers(EVM, SOLANA))).not.toThrow();
  expect(() => checkReceivers(receivers(EVM.toLowerCase(), SOLANA))).not.toThrow();
});

test('a wrong digit of an address without a checksum cannot be told: small letters, and Solana', () => {
  expect(() => checkReceivers(receivers(EVM.toLowerCase().replace('5aa', '6aa'), SOLANA))).not.toThrow();
  expect(() => checkReceivers(receivers(EVM, SOLANA.replace(/n$/, 'm')))).not.toThrow();
});

test.each([
  ['a digit that is wrong', EVM.replace('5aA', '6aA'), SOLANA, 'eip155:8453'],
  ['a letter in the wrong case', EVM.replace('BeAed', 'beAed'), SOLANA, 'eip155:8453'],
  ['two characters too few', EVM, SOLANA.slice(2), 'solana:'],
  ['a character doubled', EVM, `9${SOLANA}`, 'solana:'],
])('%s stops the start and is named by its network: money sent there is lost', (_, evm, solana, network) => {
  expect(() => checkReceivers(receivers(evm, solana))).toThrow(/X402_PAY_TO/);
  expect(() => checkReceivers(receivers(evm, solana))).toThrow(network);
});
