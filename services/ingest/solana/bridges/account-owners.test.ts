import { expect, test } from 'vitest';
import { follow } from '../../../investigate/follow/follow.ts';
import { followWith, toFollowRequest } from '../../../testing/ask-follow.ts';
import {
  CAROL as EVM_CAROL,
  USDC_ON_BASE as EVM_TOKEN,
  decode as evm,
  hex,
  log,
  transfer,
  word,
} from '../../../testing/evm/small-evm-block.ts';
import { createMemoryReader } from '../../../testing/memory-reader.ts';
import {
  block,
  giveAway,
  keyOf,
  type TestTransaction,
  tokenTransfer,
  transaction,
} from '../../../testing/solana/build-transaction.ts';
import { mintForReceipt } from '../../../testing/solana/cctp-calls.ts';
import { crossingsOf, holding, keptRowsOf, payer, SOL } from '../../../testing/solana/tell-rows.ts';
import { CUSTODY, depositInto, redeemFrom } from '../../../testing/solana/wormhole-calls.ts';
import { SOLANA_TOKEN_BRIDGE as TOKEN_BRIDGE } from '../../bridges/wormhole-claim.ts';
import { decodeSolanaBlock } from '../decode-solana-block.ts';

/** An emptied token account can be given to anybody without asking him: it was its former owner's when the bridge was called. */

const BOB = `0x${'b'.repeat(40)}`;
const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
const bobs = (mint: string) => ({ ...holding('bob tokens', 'bob', 0n, 0n), mint, ownerAfter: 'carol' });

const depositTo = (far: number): TestTransaction => ({
  accounts: [
    payer(SOL, 0n),
    { ...holding('alice tokens', 'alice', 700n, 0n), ownerAfter: 'carol' },
    holding('custody', CUSTODY, 0n, 700n),
  ],
  instructions: [
    depositInto(
      { amount: 700n, recipient: BOB, far },
      tokenTransfer('alice tokens', 'custody', 'alice', 700n),
    ),
    giveAway('alice tokens', 'alice', 'carol'),
  ],
});

test('a Wormhole deposit is put in by, and handed over from, whose account it was then', () => {
  expect(crossingsOf(depositTo(2))).toMatchObject([{ from: keyOf('alice'), amountRaw: 700n }]);
  expect(keptRowsOf(depositTo(2))[0]).toBe(`transfer alice -> ${TOKEN_BRIDGE} 700 mint`);
});

test('a Wormhole redemption is paid to whose account it was then, with its amount', () => {
  const redeemed: TestTransaction = {
    accounts: [
      payer(SOL, 0n),
      bobs('mint'),
      holding('temp', 'bob', 0n, 700n),
      holding('custody', CUSTODY, 900n, 200n),
    ],
    instructions: [
      redeemFrom(2, 'used', tokenTransfer('custody', 'bob tokens', CUSTODY, 700n)),
      tokenTransfer('bob tokens', 'temp', 'bob', 700n),
      giveAway('bob tokens', 'bob', 'carol'),
    ],
  };
  expect(crossingsOf(redeemed)).toMatchObject([{ to: keyOf('bob'), amountRaw: 700n }]);
});

test.each([42n, null])(
  'what a message of CCTP issued is delivered to whose account it was then (%s)',
  (nonce) => {
    const receipt = { account: 'bob tokens', mint: USDC, amount: 700n, domain: 0, sender: BOB, nonce };
    const received: TestTransaction = {
      accounts: [payer(SOL, 0n), bobs(USDC), { ...holding('temp', 'bob', 0n, 700n), mint: USDC }],
      instructions: [
        mintForReceipt(receipt),
        tokenTransfer('bob tokens', 'temp', 'bob', 700n),
        giveAway('bob tokens', 'bob', 'carol'),
      ],
    };
    expect(crossingsOf(received)).toMatchObject([{ side: 'delivery', to: keyOf('bob'), amountRaw: 700n }]);
  },
);

test('backward, a Wormhole payout leads to who put it in, whoever was given his emptied account', async () => {
  const core = 'worm2ZoG2kUd4vFXhvjh93UUH596ayRfgQ2MgjNMTth';
  const emitter = '0xec7372995d5cc8732397fb0ad35c0121e0eaa90d26f828a534cab54391b3a4f5';
  const logs = [
    ...[`Program ${TOKEN_BRIDGE} invoke [1]`, `Program ${core} invoke [2]`, 'Program log: Sequence: 7'],
    ...[`Program ${core} success`, `Program ${TOKEN_BRIDGE} success`],
  ];
  const near = decodeSolanaBlock({
    block: block(transaction({ ...depositTo(30), logs })),
    ...{ slot: 100, chain: 'solana', votes: 'sum' },
  });
  const bridge = '0x8d2de8d2f73f1f4cab472ac9a881c9b123c79627';
  const redeemed = log(
    [
      '0xcaf280c8cfeba144da67230d9b009c8f868a75bac9a528fa0474be1ba317c169',
      word('0x1'),
      emitter,
      word(hex(7)),
    ],
    '0x',
    bridge,
  );
  const paid = transfer(bridge, BOB, 700_000_000, EVM_TOKEN);
  const far = evm([{ tx: { from: EVM_CAROL, value: '0x0' }, receipt: { logs: [paid, redeemed] } }], {
    ...{ chain: 'base', timestamp: hex(1_700_000_060) },
  });
  const labels = new Map([[bridge, { name: 'Wormhole', kind: 'bridge' as const }]]);
  const { end } = await follow(
    toFollowRequest({ chain: 'base', start: BOB, canonicalAsset: EVM_TOKEN, backward: true }),
    followWith(createMemoryReader([near, far], { labels })),
  );
  const output = { address: keyOf('alice'), by: 'id', confidence: 1 };
  expect(end).toMatchObject({ reason: 'bridge', output });
});
