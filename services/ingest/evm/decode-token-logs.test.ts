import { expect, test } from 'vitest';
import {
  ALICE,
  address,
  BOB,
  CAROL,
  decode,
  FEES,
  log,
  MINER,
  rowsOf,
  TOKEN,
  TRANSFER,
  transfer,
  WETH,
  word,
} from '../../testing/evm/small-evm-block.ts';

test('token logs are transfers, issued from or destroyed to the null address; zero amounts are kept', () => {
  const nobody = address('0');
  const logs = [
    transfer(ALICE, BOB, 3),
    transfer(nobody, BOB, 4),
    transfer(ALICE, nobody, 5),
    transfer(ALICE, BOB, 0),
  ];
  expect(rowsOf(decode([{ receipt: { logs } }])).slice(1, 5)).toEqual([
    'transfer a>b 3 e',
    'mint nobody>b 4 e by a',
    'burn a>nobody 5 e',
    'transfer a>b 0 e',
  ]);
});

test('what the chain itself logs of a payment of the coin is no second payment', () => {
  const told = log([TRANSFER, word(ALICE), word(BOB)], word('0x5'), `0x${'f'.repeat(39)}e`);
  for (const traced of [true, false])
    expect(rowsOf(decode([{ receipt: { logs: [told] } }], {}, traced))).toEqual([
      'transfer a>b 5 native',
      ...FEES,
    ]);
});

test('ERC-721 is not money, logs of another form are counted, broken ones are problems, and the rest stands', () => {
  const logs = [
    log([TRANSFER, word(ALICE), word(BOB), word('0x1')], '0x'),
    log([TRANSFER], `0x${'0'.repeat(192)}`),
    log([TRANSFER, word(ALICE), word(BOB)], `0x${'zz'.repeat(32)}`),
    { address: TOKEN },
    transfer(ALICE, BOB, 3),
  ];
  const decoded = decode([{ receipt: { logs } }]);
  expect(rowsOf(decoded)).toEqual(['transfer a>b 5 native', 'transfer a>b 3 e', ...FEES]);
  expect(decoded.exempt).toEqual({ log_malformed: [0], transfer_log_nonstandard: [0] });
});

test('wrapping has a row in the wrapped coin’s contract beside the coin’s own, and is no swap', () => {
  const deposit = log(
    ['0xe1fffcc4923d04b559f4d29a8bfc6cda04eb5b0d3c460751c2402c5c5cc9109c', word(ALICE)],
    word('0x5'),
    WETH,
  );
  const decoded = decode([{ tx: { to: WETH }, receipt: { logs: [deposit] } }]);
  const [coin, wrapped] = decoded.movements;
  expect(coin).toMatchObject({ kind: 'transfer', from: ALICE, to: WETH, asset: 'native', amountRaw: 5n });
  expect(wrapped).toMatchObject({ kind: 'wrap', from: null, to: ALICE, asset: WETH, amountRaw: 5n });
  expect(decoded.swaps).toEqual([]);
  const other = decode([{ receipt: { logs: [{ ...deposit, address: TOKEN }] } }]);
  expect(rowsOf(other)).toEqual(['transfer a>b 5 native', ...FEES]);
});

test('a spender is the authority of tokens that it moves, the owner is not', () => {
  const words = word(BOB).slice(2) + word(CAROL).slice(2) + word('0x3').slice(2);
  const calls = [
    { type: 'CALL', from: MINER, to: TOKEN, input: `0x23b872dd${words}` },
    { type: 'CALL', from: CAROL, to: TOKEN, input: '0xa9059cbb' },
  ];
  const logs = [transfer(BOB, CAROL, 3), transfer(CAROL, ALICE, 4)];
  const decoded = decode([{ receipt: { logs }, trace: { calls } }], {}, true);
  expect(rowsOf(decoded).slice(1, 3)).toEqual(['transfer b>c 3 e by d', 'transfer c>a 4 e']);
  // Without a trace the sender is the best guess.
  expect(rowsOf(decode([{ receipt: { logs } }])).slice(1, 3)).toEqual([
    'transfer b>c 3 e by a',
    'transfer c>a 4 e by a',
  ]);
});
