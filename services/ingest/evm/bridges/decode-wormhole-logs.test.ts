import { encodePacked, type Hex } from 'viem';
import { expect, test } from 'vitest';
import { data, onlyOf, told } from '../../../testing/evm/bridge-logs.ts';
import {
  ALICE,
  address,
  BOB,
  CAROL,
  decode,
  hex,
  log,
  TOKEN,
  transfer,
  USDC,
  WETH,
  word,
} from '../../../testing/evm/small-evm-block.ts';
import { wormholeClaim } from '../../bridges/wormhole-claim.ts';
import { encodeBase58 } from '../../solana/encoding/base58.ts';

// As explorers and the bridges' own documents list them.
const TOPICS = {
  wormholePublished: '0x6eb224fb001ed210e379b335e35efe88672a8ce935d981a6896b27ffdf52a3b2',
  wormholeRedeemed: '0xcaf280c8cfeba144da67230d9b009c8f868a75bac9a528fa0474be1ba317c169',
} as const;
const WORMHOLE = '0x98f3c9e6e3face36baad05fe09d375ef1464288b';
const TOKEN_BRIDGE = '0x3ee18b2214aff97000d974cf647e7c347e8fa585';
const NOBODY = address('0');
const FAR_TOKEN = address('f');
const SOLANA_KEY: Hex = `0x${'07'.repeat(32)}`;
const SOLANA_OWNER = encodeBase58(Buffer.alloc(32, 7), 0, 32);

const wormholeTransfer = (
  kind: number,
  toChain: number,
  to: string = SOLANA_KEY,
  token = TOKEN,
  tokenChain = 2,
  amount = 7n,
) =>
  encodePacked(
    ['uint8', 'uint256', 'bytes32', 'uint16', 'bytes32', 'uint16', 'uint256'],
    [kind, amount, word(token) as Hex, tokenChain, to as Hex, toChain, 0n],
  );
const published = (payload: Hex, sender = TOKEN_BRIDGE) =>
  log(
    [TOPICS.wormholePublished, word(sender)],
    data('uint64, uint32, bytes, uint8', [99n, 0, payload, 1]),
    WORMHOLE,
  );

test('Wormhole: a message of the token bridge is a deposit, with what the bridge was paid', () => {
  const paid = transfer(ALICE, TOKEN_BRIDGE, 700);
  expect(onlyOf([paid, published(wormholeTransfer(3, 30, word(BOB)))])).toMatchObject({
    ...{ bridge: 'wormhole', side: 'deposit', messageId: `2/${word(TOKEN_BRIDGE)}/99`, farChain: 'base' },
    ...{ from: ALICE, to: BOB, asset: TOKEN, amountRaw: 700n },
  });
  expect(onlyOf([paid, published(wormholeTransfer(1, 1))])).toMatchObject({
    ...{
      messageId: `claim/${wormholeClaim(2, word(TOKEN_BRIDGE), 99n)}`,
      farChain: 'solana',
      to: SOLANA_OWNER,
    },
  });
});

const FAKE = address('7');
const forgedDeposit = transfer(CAROL, TOKEN_BRIDGE, 1, FAKE);

test('Wormhole: who put it in is who paid in the token that the message names, whatever else is logged', () => {
  const paid = transfer(ALICE, TOKEN_BRIDGE, 700);
  const message = published(wormholeTransfer(1, 30, word(BOB)));
  expect(onlyOf([paid, forgedDeposit, message])).toMatchObject({
    from: ALICE,
    asset: TOKEN,
    amountRaw: 700n,
  });
  const ofCoin = published(wormholeTransfer(1, 30, word(BOB), WETH));
  const coin = decode([
    { tx: { to: TOKEN_BRIDGE, value: hex(7e10) }, receipt: { logs: [forgedDeposit, ofCoin] } },
  ]);
  expect(coin.bridgeTransfers).toMatchObject([{ from: ALICE, asset: 'native', amountRaw: 7n * 10n ** 10n }]);
});

test('Wormhole: of a token from elsewhere only the bridge knows the form, so of several as large nothing says which', () => {
  const paid = transfer(ALICE, TOKEN_BRIDGE, 700);
  const message = published(wormholeTransfer(1, 30, word(BOB), FAR_TOKEN, 4));
  expect(onlyOf([paid, message])).toMatchObject({ from: ALICE, asset: TOKEN, amountRaw: 700n });
  expect(onlyOf([paid, forgedDeposit, message])).toMatchObject({ from: ALICE, asset: TOKEN });
  const asLarge = transfer(CAROL, TOKEN_BRIDGE, 700, FAKE);
  expect(onlyOf([paid, asLarge, message])).toMatchObject({ from: null, asset: null, amountRaw: null });
});

test('Wormhole: a cent, nothing or a message of anybody’s beside a deposit changes neither who put it in nor how much', () => {
  const paid = transfer(ALICE, TOKEN_BRIDGE, 700);
  const message = published(wormholeTransfer(1, 30, word(BOB)));
  const beside = [
    transfer(CAROL, TOKEN_BRIDGE, 1),
    transfer(CAROL, TOKEN_BRIDGE, 0),
    published('0x01', CAROL),
    published(wormholeTransfer(2, 1)),
  ];
  for (const log of beside)
    expect(onlyOf([paid, message, log])).toMatchObject({ from: ALICE, asset: TOKEN, amountRaw: 700n });
});

test('Wormhole: of two who paid in as much as the message says nothing tells who put it in', () => {
  const paid = [transfer(ALICE, TOKEN_BRIDGE, 700), transfer(CAROL, TOKEN_BRIDGE, 7)];
  expect(onlyOf([...paid, published(wormholeTransfer(1, 30, word(BOB)))])).toMatchObject({ from: null });
});

test('Wormhole: of two deposits in one transaction each is what was paid of its amount', () => {
  const paid = [transfer(ALICE, TOKEN_BRIDGE, 7, USDC), transfer(CAROL, TOKEN_BRIDGE, 700, TOKEN)];
  const messages = [USDC, TOKEN].map((token) => published(wormholeTransfer(1, 30, word(BOB), token)));
  expect(told([...paid, ...messages]).bridgeTransfers).toMatchObject([
    { from: ALICE, asset: USDC },
    { from: CAROL, asset: TOKEN },
  ]);
});

test('Wormhole: a message is of as much as it says, though other amounts with the same digits went in beside', () => {
  const ofDollars = (amount: bigint) => published(wormholeTransfer(1, 30, word(BOB), USDC, 2, amount));
  const ofCoin = (amount: bigint) => published(wormholeTransfer(1, 30, word(BOB), WETH, 2, amount));
  const paidDollars = [transfer(ALICE, TOKEN_BRIDGE, 5, USDC), transfer(ALICE, TOKEN_BRIDGE, 5e9, USDC)];
  const paidCoins = [
    transfer(CAROL, TOKEN_BRIDGE, 5e15, WETH),
    transfer(ALICE, TOKEN_BRIDGE, 5e10 + 7, WETH),
  ];
  expect(
    told([
      ...paidDollars,
      ...paidCoins,
      ofDollars(5n),
      ofDollars(5_000_000_000n),
      ofCoin(5n),
      ofCoin(500_000n),
    ]).bridgeTransfers,
  ).toMatchObject([
    { from: ALICE, asset: USDC, amountRaw: 5n },
    { from: ALICE, asset: USDC, amountRaw: 5_000_000_000n },
    { from: ALICE, asset: WETH, amountRaw: 50_000_000_007n },
    { from: CAROL, asset: WETH, amountRaw: 5n * 10n ** 15n },
  ]);
});

test('Wormhole: of a token whose decimals no list knows, a message is of no more than the least that it may be of', () => {
  const paid = [transfer(ALICE, TOKEN_BRIDGE, 700), transfer(ALICE, TOKEN_BRIDGE, 7e12)];
  for (const logs of [paid, paid.toReversed()])
    expect(onlyOf([...logs, published(wormholeTransfer(1, 30, word(BOB)))])).toMatchObject({
      amountRaw: 700n,
    });
});

test.each([
  ['another payload', published(wormholeTransfer(2, 1))],
  ['somebody else who publishes', published(wormholeTransfer(1, 1), ALICE)],
  ['a payload too short', published('0x01')],
])('Wormhole: %s is no transfer', (_, message) => {
  expect(told([transfer(ALICE, TOKEN_BRIDGE, 700), message])).toMatchObject({
    bridgeTransfers: [],
    problems: [],
  });
});

const redeemed = (sequence: number) =>
  log([TOPICS.wormholeRedeemed, word('0x1'), SOLANA_KEY, word(hex(sequence))], '0x', TOKEN_BRIDGE);

test('Wormhole: a redemption is a delivery to whom the bridge paid last', () => {
  const paid = [transfer(TOKEN_BRIDGE, CAROL, 1), transfer(TOKEN_BRIDGE, BOB, 699)];
  expect(onlyOf([redeemed(7), ...paid])).toMatchObject({
    ...{ side: 'delivery', messageId: `1/${SOLANA_KEY}/7`, farChain: 'solana' },
    ...{ from: null, to: BOB, asset: TOKEN, amountRaw: 699n },
  });
});

test('Wormhole: a payment logged by a stranger’s token is not what the bridge paid', () => {
  const forged = [transfer(TOKEN_BRIDGE, CAROL, 9_999, FAKE), transfer(NOBODY, CAROL, 9_999, FAKE)];
  const paid = transfer(TOKEN_BRIDGE, BOB, 699, USDC);
  expect(onlyOf([redeemed(7), paid, ...forged])).toMatchObject({ to: BOB, asset: USDC, amountRaw: 699n });
  const unlisted = [transfer(TOKEN_BRIDGE, BOB, 699), transfer(NOBODY, BOB, 699)];
  for (const log of unlisted) {
    expect(onlyOf([redeemed(7), log])).toMatchObject({ to: BOB, asset: TOKEN, amountRaw: 699n });
    for (const other of forged)
      expect(onlyOf([redeemed(7), log, other])).toMatchObject({ to: null, asset: null, amountRaw: null });
  }
});

test('Wormhole: nothing that is paid out of the bridge, which takes nobody’s consent, does not say who was paid', () => {
  const forged = [transfer(TOKEN_BRIDGE, CAROL, 0, USDC), transfer(NOBODY, CAROL, 0, TOKEN)];
  for (const paid of [transfer(TOKEN_BRIDGE, BOB, 699, USDC), transfer(NOBODY, BOB, 699)])
    expect(onlyOf([redeemed(7), paid, ...forged])).toMatchObject({ to: BOB, amountRaw: 699n });
});

test.each([
  ['the coin', [], [{ to: BOB, value: 7e10 }]],
  ['a token', [transfer(TOKEN_BRIDGE, BOB, 699, USDC)], []],
])(
  'Wormhole: of a redemption of %s the change that the bridge hands back of a deposit beside is no payment',
  (_, logs, coins) => {
    const change = { to: CAROL, value: 9_999_999_999 };
    const paid = [...coins, change].map(({ to, value }) => ({
      ...{ type: 'CALL', from: TOKEN_BRIDGE, to, value: hex(value), input: '0x' },
    }));
    const calls = [{ type: 'CALL', from: BOB, to: TOKEN_BRIDGE, value: '0x0', input: '0x', calls: paid }];
    const { bridgeTransfers } = decode(
      [{ receipt: { gasUsed: '0x9999', logs: [redeemed(7), ...logs] }, trace: { calls } }],
      {},
      true,
    );
    expect(bridgeTransfers).toMatchObject([{ side: 'delivery', to: BOB }]);
  },
);

test('Wormhole: of several redemptions in one transaction nothing says whose payment is whose', () => {
  const { bridgeTransfers } = told([redeemed(7), redeemed(8), transfer(TOKEN_BRIDGE, BOB, 699)]);
  expect(bridgeTransfers.map(({ index, to }) => [index, to])).toEqual([
    [0, null],
    [1, null],
  ]);
});
