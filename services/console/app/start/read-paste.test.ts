import { expect, test } from 'vitest';
import { readPaste } from './read-paste.ts';

const SOLANA = 'Dk79N92WanhK4n7CrYw38zoJspn9XNgLFQmsR3wEWojp';
const EVM = `0x${'aB'.repeat(20)}`;

test.each([
  [SOLANA, 'address', 'solana', SOLANA],
  [`  ${EVM} `, 'address', 'evm', EVM],
  [`https://solscan.io/account/${SOLANA}?cluster=x`, 'address', 'solana', SOLANA],
  [`https://etherscan.io/address/${EVM}#code`, 'address', 'evm', EVM],
  [`0x${'cd'.repeat(32)}`, 'transaction', 'evm', `0x${'cd'.repeat(32)}`],
  ['5'.repeat(88), 'transaction', 'solana', '5'.repeat(88)],
])('%s', (text, what, family, found) => {
  expect(readPaste(text)).toEqual({ what, family, text: found });
});

test('what holds no address is not taken for one', () => {
  expect(readPaste('')).toEqual({ what: 'nothing' });
  expect(readPaste('vitalik.eth').what).toBe('unknown');
  expect(readPaste(`0x${'a'.repeat(41)}`).what).toBe('unknown');
});
