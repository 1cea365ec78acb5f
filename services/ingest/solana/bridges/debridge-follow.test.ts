import { encodeAbiParameters, type Hex, parseAbiParameters } from 'viem';
import { expect, test } from 'vitest';
import { follow } from '../../../investigate/follow/follow.ts';
import { followWith, toFollowRequest } from '../../../testing/ask-follow.ts';
import { ALICE, decode, hex, log, transfer, USDC } from '../../../testing/evm/small-evm-block.ts';
import { createMemoryReader } from '../../../testing/memory-reader.ts';
import {
  block,
  keyBytes,
  keyOf,
  tokenTransfer,
  transaction,
} from '../../../testing/solana/build-transaction.ts';
import { fulfil } from '../../../testing/solana/debridge-calls.ts';
import { holding, payer, SOL } from '../../../testing/solana/tell-rows.ts';
import { decodeSolanaBlock } from '../decode-solana-block.ts';

const MINT = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
const ID: Hex = `0x${'17'.repeat(32)}`;
const SOURCE = '0xef4fb24ad0916217251f553c0596f8edc630eb66';
const SOLANA = 7_565_164n;
const AMOUNT = 700_000_000n;
const CREATED = '0xfc8703fd57380f9dd234a89dce51333782d49c5902f307b02f03e014d18fe471';
const FIELDS = parseAbiParameters(
  '(uint64, bytes, uint256, bytes, uint256, uint256, bytes, uint256, bytes, bytes, bytes, bytes, bytes, bytes), bytes32, bytes, uint256, uint256, uint32, bytes',
);

const hexOf = (name: string): Hex => `0x${Buffer.from(keyBytes(name)).toString('hex')}`;
const rawOf = (digits: string): Uint8Array => Buffer.from(digits.slice(2), 'hex');

const [give, take] = [
  [1n, USDC, AMOUNT],
  [SOLANA, hexOf(MINT), AMOUNT],
] as const;
const order = [...[1n, ALICE, ...give, ...take, hexOf('bob')], ...['0x', ALICE, '0x', '0x', '0x']] as const;
const made = encodeAbiParameters(FIELDS, [order as never, ID, '0x', 0n, 0n, 0, '0x']);
const near = decode(
  [
    {
      tx: { value: '0x0' },
      receipt: { logs: [transfer(ALICE, SOURCE, Number(AMOUNT), USDC), log([CREATED], made, SOURCE)] },
    },
  ],
  { timestamp: hex(1_700_000_000) },
);

const holdingUsdc = (name: string, owner: string, before: bigint, after: bigint) => ({
  ...holding(name, owner, before, after),
  mint: MINT,
});
const pay = (account: string) => tokenTransfer('alice tokens', account, 'alice', AMOUNT);
const fulfilled = decodeSolanaBlock({
  block: {
    ...block(
      transaction({
        accounts: [
          payer(SOL, 0n),
          holdingUsdc('alice tokens', 'alice', 2n * AMOUNT, 0n),
          holdingUsdc('bob tokens', 'bob', 0n, AMOUNT),
          holdingUsdc('carol tokens', 'carol', 0n, AMOUNT),
        ],
        instructions: [
          fulfil(
            ID,
            {
              maker: rawOf(ALICE),
              give: { chain: 1n, token: rawOf(USDC), amount: AMOUNT },
              take: { chain: SOLANA, token: keyBytes(MINT), amount: AMOUNT },
              receiver: keyBytes('bob'),
            },
            pay('bob tokens'),
          ),
          pay('carol tokens'),
        ],
      }),
    ),
    blockTime: 1_700_000_060,
  },
  ...{ slot: 100, chain: 'solana', votes: 'sum' },
});

test('an order of deBridge is followed to its receiver, whomever else he pays as much who fulfils it', async () => {
  const labels = new Map([[SOURCE, { name: 'deBridge', kind: 'bridge' as const }]]);
  const { end } = await follow(
    toFollowRequest({ chain: 'ethereum', start: ALICE, canonicalAsset: USDC }),
    followWith(createMemoryReader([near, fulfilled], { labels })),
  );
  const output = { address: keyOf('bob'), by: 'id', confidence: 1 };
  expect(end).toMatchObject({ reason: 'bridge', output });
});
