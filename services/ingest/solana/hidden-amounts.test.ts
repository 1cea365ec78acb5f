import { expect, test } from 'vitest';
import { block, TOKEN_2022, transaction } from '../../testing/solana/build-transaction.ts';
import { decode, payer, SOL } from '../../testing/solana/tell-rows.ts';

test.each([
  ['a transfer', [27, 7], true],
  ['a transfer with a fee', [27, 13], true],
  ['issuing', [42, 3], true],
  ['burning', [42, 4], true],
  ['a permissioned burn', [46, 3], true],
  ['paying out withheld fees of a mint', [37, 1], true],
  ['paying out withheld fees of accounts', [37, 2], true],
  ['collecting withheld fees', [37, 3], true],
  ['allowing fees to be collected', [37, 4], false],
  ['setting an account up', [27, 2], false],
] as const)('confidential, %s is exempt where its amount is nobody’s to know', (_, tags, isExempt) => {
  const accounts = ['alice tokens', 'mint', 'bob tokens', 'alice'];
  const instructions = [{ program: TOKEN_2022, accounts, data: Uint8Array.of(...tags, 0) }];
  const decoded = decode(block(transaction({ accounts: [payer(SOL, 0n)], instructions })));
  expect(decoded.exempt).toEqual(isExempt ? { confidential_transfer: [0] } : {});
});

const COMPRESSED_TOKEN = 'cTokenmWW8bLPjZEBAUgYy3zKxQZW6VKi7bqNFEVv3m';
const LIGHT_SYSTEM = 'SySTEM1eSU2p4BGQfQpimFEWWSC1XDFeun3Nqzz3rT7';

test.each([
  ['a transfer', COMPRESSED_TOKEN, 'a334c8e78c0345ba', true],
  ['issuing', COMPRESSED_TOKEN, 'f12230ba257bb3c0', true],
  ['a batch', COMPRESSED_TOKEN, '65', true],
  ['a transfer between its own accounts', COMPRESSED_TOKEN, '030807060504030201', true],
  ['a checked one', COMPRESSED_TOKEN, '0c08070605040302', true],
  ['opening a pool', COMPRESSED_TOKEN, '17a91b7a93a9d198', false],
  ['an approval', COMPRESSED_TOKEN, '04', false],
  ['a transfer of SOL', LIGHT_SYSTEM, '1a10a90715caf219', true],
  ['data of a program', LIGHT_SYSTEM, '31d4bf8127c22bc4', false],
] as const)('compressed, %s is exempt where its amount is nobody’s to know', (_, program, data, isExempt) => {
  const instructions = [{ program, accounts: ['alice'], data: Uint8Array.from(Buffer.from(data, 'hex')) }];
  const decoded = decode(block(transaction({ accounts: [payer(SOL, 0n)], instructions })));
  expect(decoded.exempt).toEqual(isExempt ? { compressed_transfer: [0] } : {});
});

test.each([
  'confidentialTransfer',
  'confidentialMint',
  'withdrawWithheldConfidentialTransferTokensFromMint',
  'withdrawWithheldConfidentialTransferTokensFromAccounts',
  'harvestWithheldConfidentialTransferTokensToMint',
])('%s, as nodes parse it, is exempt', (type) => {
  const raw = block(transaction({ accounts: [payer(SOL, 0n)], instructions: [] }));
  const [first] = raw.transactions ?? [];
  const { transaction: sent } = first as unknown as { transaction: { message: { instructions: unknown[] } } };
  sent.message.instructions.push({ programId: TOKEN_2022, parsed: { type, info: { mint: 'mint' } } });
  expect(decode(raw).exempt).toEqual({ confidential_transfer: [0] });
});
