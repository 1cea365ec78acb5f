import { expect, test } from 'vitest';
import {
  ALICE,
  BOB,
  CAROL,
  decode,
  FEES,
  hash,
  hex,
  rowsOf,
  transfer,
} from '../../testing/evm/small-evm-block.ts';

const CAPS = { gasPrice: '0x9', maxFeePerGas: '0x9', maxPriorityFeePerGas: '0x1' };
const OFFERED = ['fee a>d 21000 native', 'fee a>nobody 147000 native'];
const codes = ({ problems }: ReturnType<typeof decode>): string[] => problems.map(({ code }) => code);

test.each(['ethereum', 'base', 'optimism', 'sepolia', 'constructor'])(
  'on %s the price without a receipt’s word is what the caps allow, never the highest that was offered',
  (chain) => {
    const decoded = decode([{ tx: CAPS, receipt: { effectiveGasPrice: null } }], { chain });
    const fees = decoded.movements.filter(({ kind, amountRaw }) => kind === 'fee' && amountRaw > 0n);
    expect(fees.map(({ amountRaw }) => amountRaw)).toEqual([21_000n, 147_000n]);
    expect(codes(decoded)).toEqual([]);
  },
);

test.each([
  ['nothing', '0x0'],
  ['less than the base fee', '0x6'],
  ['the highest price that was offered', '0x9'],
  ['more than was offered', `0x${'f'.repeat(64)}`],
])(
  'a receipt that tells %s does not change what the transaction pays, and is told',
  (_, effectiveGasPrice) => {
    const decoded = decode([{ tx: CAPS, receipt: { effectiveGasPrice } }]);
    expect(rowsOf(decoded).slice(1)).toEqual(OFFERED);
    expect(decoded.exempt).toEqual({ fee_contradicts: [0] });
  },
);

test('the highest price that was offered is no price where what is offered above the base fee is missing', () => {
  const tx = { ...CAPS, maxPriorityFeePerGas: undefined };
  const decoded = decode([{ tx, receipt: { effectiveGasPrice: null } }]);
  expect(rowsOf(decoded)).toEqual(['transfer a>b 5 native']);
  expect(codes(decoded)).toEqual(['fee_unknown']);
});

test('of a price that the limits allow and the transaction’s own price tells too, it is told that they disagree', () => {
  const tx = { gasPrice: '0xa', maxFeePerGas: '0x14', maxPriorityFeePerGas: '0x1' };
  const decoded = decode([{ tx, receipt: { effectiveGasPrice: '0xa' } }]);
  expect(rowsOf(decoded).slice(1)).toEqual(FEES);
  expect(codes(decoded)).toEqual(['fee_contradicts']);
});

test('a price below the base fee that the transaction itself offers is no price: the fee is unknown', () => {
  for (const price of ['0x0', '0x6']) {
    const decoded = decode([{ tx: { type: '0x0', gasPrice: price }, receipt: { effectiveGasPrice: price } }]);
    expect(rowsOf(decoded)).toEqual(['transfer a>b 5 native']);
    expect(codes(decoded)).toEqual(['fee_unknown']);
  }
});

test.each(['gnosis', 'constructor'])('on %s validators may let a transaction run for nothing', (chain) => {
  const free = { tx: { type: '0x0', gasPrice: '0x0' }, receipt: { effectiveGasPrice: '0x0' } };
  const decoded = decode([free], { chain });
  expect(rowsOf(decoded)).toEqual(['transfer a>b 5 native']);
  expect(codes(decoded)).toEqual([]);
});

test('Arbitrum drops what is offered above the base fee', () => {
  const receipt = { effectiveGasPrice: '0x7' };
  expect(codes(decode([{ tx: CAPS, receipt }], { chain: 'arbitrum' }))).toEqual([]);
  const decoded = decode([{ tx: CAPS, receipt: { effectiveGasPrice: null } }], { chain: 'arbitrum' });
  expect(rowsOf(decoded).slice(1)).toEqual(['fee a>nobody 147000 native']);
});

test.each([
  ['of an unknown type', { type: '0x7b' }],
  ['of an unknown type above a byte', { type: '0x100' }],
  ['that pays in a token', { feeCurrency: CAROL }],
  ['that pays in a token, under a newer name', { feeToken: CAROL }],
  ['that somebody else pays for', { feePayer: CAROL }],
])('a transaction %s has no fee in the coin, and says so', (_, tx) => {
  for (const chain of ['ethereum', 'constructor']) {
    const logs = [transfer(ALICE, CAROL, 3)];
    const decoded = decode([{ tx: { ...tx, input: '0x' }, receipt: { logs } }], { chain });
    expect(decoded.movements.map(({ kind }) => kind)).toEqual(['transfer', 'transfer']);
    expect(codes(decoded)).toEqual(['fee_unknown']);
    expect(decoded.exempt.fee_unknown).toEqual([0]);
  }
});

test('a transaction that names its own sender as who pays, or nobody, pays as any other', () => {
  for (const feePayer of [ALICE, ALICE.toUpperCase().replace('0X', '0x'), null])
    expect(rowsOf(decode([{ tx: { feePayer, feeCurrency: null } }])).slice(1)).toEqual(FEES);
});

test('blobs take the gas of blobs whatever a receipt says, and that is told', () => {
  const tx = { type: '0x3', blobVersionedHashes: [hash(0)] };
  const receipt = { blobGasUsed: hex(262_144), blobGasPrice: '0x3' };
  const decoded = decode([{ tx, receipt }]);
  expect(rowsOf(decoded).at(-1)).toBe('fee a>nobody 393216 native');
  expect(codes(decoded)).toEqual(['fee_contradicts']);
});

test('a deposit of the OP stack issues what it says on any chain, and pays no fee', () => {
  const tx = { type: '0x7e', mint: '0x9', to: BOB, gasPrice: '0x0' };
  const decoded = decode([{ tx, receipt: { effectiveGasPrice: '0x0' } }], { chain: 'constructor' });
  expect(rowsOf(decoded)).toEqual(['mint nobody>a 9 native', 'transfer a>b 5 native']);
  expect(codes(decoded)).toEqual([]);
});
