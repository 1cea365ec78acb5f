import { encodeAbiParameters, encodePacked, type Hex, pad, parseAbiParameters } from 'viem';
import { expect, test } from 'vitest';
import { decodeSolanaBlock } from '../../ingest/solana/decode-solana-block.ts';
import {
  followAndTell as follow,
  followWith,
  type Question,
  toFollowRequest,
} from '../../testing/ask-follow.ts';
import { buildLabel } from '../../testing/build-label.ts';
import { ALICE, address, CAROL, decode, log, transfer, word } from '../../testing/evm/small-evm-block.ts';
import { SinkStage } from '../../testing/sink-stage.ts';
import { block, keyOf, transaction } from '../../testing/solana/build-transaction.ts';
import { burnForDeposit, MESSENGER, mintForReceipt } from '../../testing/solana/cctp-calls.ts';
import { holding, payer, SOL } from '../../testing/solana/tell-rows.ts';
import { insertLabels } from '../../warehouse/labels/insert-labels.ts';
import { createTransferReader } from '../../warehouse/read/create-transfer-reader.ts';

// On Ethereum, on Solana and on Base.
const USDC = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48';
const USDC_SOLANA = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
const USDC_BASE = '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913';
const MINTER = '0xc4922d64a24675e16e1586e3e3aa56c06fabe907';
// The address of Circle's program, as messages carry it.
const SOLANA_MESSENGER = '0xa65fc943419a5ad590042fd67c9791fd015acf53a54cc823edb8ff81b9ed722e';
const NOBODY = address('0');
const DEPOSITED = '0x2fa9ca894982930190727e75500a97d8dc500233a5065e0f3126c48fbe0343c0';
const RECEIVED = '0x58200b4c34ae05ee816d710053fff3fb75af4395915d3d2a771b24aa10e3cc5d';
const NEAR_TIME = 1_711_000_000;
const AMOUNT = 700_000_000;
const stage = new SinkStage();

/** Alice burns dollars on Ethereum for a token account on Solana, under number 42. */
const onEthereum = () => {
  const types = parseAbiParameters('uint256, bytes32, uint32, bytes32, bytes32');
  const unused = pad('0x1');
  const logs = [
    transfer(ALICE, MINTER, AMOUNT, USDC),
    transfer(MINTER, NOBODY, AMOUNT, USDC),
    log(
      [DEPOSITED, word('0x2a'), word(USDC), word(ALICE)],
      encodeAbiParameters(types, [BigInt(AMOUNT), unused, 5, unused, unused]),
      '0xbd3fa81b58ba92a82136038b25adec7066af3155',
    ),
  ];
  return decode([{ tx: { value: '0x0' }, receipt: { logs } }], { timestamp: `0x${NEAR_TIME.toString(16)}` });
};

/** Number 41 pays Carol as much a second earlier; number 42 pays Bob, who burns it for Base under number 7. */
const onSolana = () => {
  const receipt = { mint: USDC_SOLANA, amount: BigInt(AMOUNT), domain: 0, sender: ALICE };
  const dollars = (name: string, owner: string, before: bigint, after: bigint) => ({
    ...holding(name, owner, before, after),
    mint: USDC_SOLANA,
  });
  const paid = (nonce: bigint, owner: string) =>
    transaction({
      accounts: [payer(SOL, 0n), dollars(`${owner} tokens`, owner, 0n, receipt.amount)],
      instructions: [mintForReceipt({ ...receipt, nonce, account: `${owner} tokens` })],
    });
  const burn = { nonce: 7n, account: 'bob tokens', owner: 'bob', domain: 6, recipient: CAROL };
  const burnt = transaction({
    accounts: [payer(SOL, 0n), dollars('bob tokens', 'bob', receipt.amount, 0n)],
    instructions: [burnForDeposit({ ...burn, mint: USDC_SOLANA, amount: receipt.amount })],
  });
  const at = (slot: number, raw: ReturnType<typeof transaction>) =>
    decodeSolanaBlock({
      block: { ...block(raw), blockTime: NEAR_TIME + slot, blockhash: keyOf(`hash ${slot}`) },
      ...{ slot, chain: 'solana', votes: 'sum' },
    });
  return [at(101, paid(41n, 'carol')), at(102, paid(42n, 'bob')), at(300, burnt)];
};

const onBase = () => {
  const body = encodePacked(
    ['uint32', 'bytes32', 'bytes32', 'uint256', 'bytes32'],
    [0, pad('0x1'), word(CAROL) as Hex, BigInt(AMOUNT), pad('0x2')],
  );
  const received = log(
    [RECEIVED, word(ALICE), word('0x7')],
    encodeAbiParameters(parseAbiParameters('uint32, bytes32, bytes'), [5, SOLANA_MESSENGER, body]),
    '0xad09780d193884d503182ad4588450c416d6f9d4',
  );
  const logs = [transfer(NOBODY, CAROL, AMOUNT, USDC_BASE), received];
  return decode([{ receipt: { logs } }], { chain: 'base', timestamp: `0x${(NEAR_TIME + 900).toString(16)}` });
};

const label = (chain: string, at: string, sequence: number) => ({
  sequence,
  event: {
    type: 'LabelAsserted' as const,
    label: buildLabel({ chain, address: at, name: 'CCTP', kind: 'bridge' }),
  },
});

const followOn = async (question: Question) => {
  const { hops, end } = await follow(
    toFollowRequest(question),
    followWith(createTransferReader(stage.warehouse.reader)),
  );
  if (end.reason !== 'bridge' || end.output === null) throw new Error(`${end.reason}: ${end.detail}`);
  return { hops, output: end.output };
};

test('a trail goes on behind a bridge by its number, over three chains, from blocks to answers', async () => {
  const blocks = [onEthereum(), ...onSolana(), onBase()];
  for (const [partition, decoded] of blocks.entries()) await stage.append(stage.encoded(decoded), partition);
  await stage.drain();
  expect(await stage.deadLetters()).toEqual([]);
  await insertLabels(stage.warehouse.writer, [label('ethereum', MINTER, 1), label('solana', MESSENGER, 2)]);

  const first = await followOn({ chain: 'ethereum', start: ALICE, canonicalAsset: USDC });
  expect(first.output).toMatchObject({
    ...{ chain: { name: 'solana' }, address: keyOf('bob'), asset: { asset: USDC_SOLANA, symbol: 'USDC' } },
    ...{ amountRaw: BigInt(AMOUNT), timeUnixSeconds: NEAR_TIME + 102, by: 'id', confidence: 1 },
  });

  const { address: start, asset, timeUnixSeconds: atUnixSeconds } = first.output;
  const second = await followOn({ chain: 'solana', start, canonicalAsset: asset.asset, atUnixSeconds });
  expect(second.hops.map(({ from, to }) => [from, to])).toEqual([[keyOf('bob'), MESSENGER]]);
  expect(second.output).toMatchObject({
    ...{ chain: { name: 'base' }, address: CAROL, asset: { asset: USDC_BASE }, amountRaw: BigInt(AMOUNT) },
    ...{ timeUnixSeconds: NEAR_TIME + 900, by: 'id', confidence: 1 },
  });
});
