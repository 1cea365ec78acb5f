import { encodePacked, type Hex, pad } from 'viem';
import { expect, test } from 'vitest';
import { CHAINS } from '../../../investigate/model/chain.ts';
import { data, onlyOf, told } from '../../../testing/evm/bridge-logs.ts';
import {
  ALICE,
  address,
  BOB,
  CAROL,
  decode,
  log,
  TOKEN,
  transfer,
  USDC,
  USDC_ON_BASE,
  word,
} from '../../../testing/evm/small-evm-block.ts';
import { toChainAddress } from '../../bridges/bridge-numbers.ts';
import { encodeBase58 } from '../../solana/encoding/base58.ts';

// As explorers and the bridges' own documents list them.
const TOPICS = {
  cctpDeposit: '0x2fa9ca894982930190727e75500a97d8dc500233a5065e0f3126c48fbe0343c0',
  cctpDepositV2: '0x0c8c1cbdc5190613ebd485511d4e2812cfa45eecb79d845893331fedad5130a5',
  cctpReceived: '0x58200b4c34ae05ee816d710053fff3fb75af4395915d3d2a771b24aa10e3cc5d',
  cctpReceivedV2: '0xff48c13eda96b1cceacc6b9edeedc9e9db9d6226afbc30146b720c19d3addb1c',
  debridgeCreated: '0xfc8703fd57380f9dd234a89dce51333782d49c5902f307b02f03e014d18fe471',
  debridgeFulfilled: '0xd281ee92bab1446041582480d2c0a9dc91f855386bb27ea295faac1e992f7fe4',
  stargateSent: '0x85496b760a4b7f8d66384b9df21b381f5d1b1e79f229a47aaf4c232edc2fe59a',
  stargateReceived: '0xefed6d3500546b29533b128a29e3a94d70788727f0507505ac12eaf2e578fd9c',
} as const;
const MESSENGER = '0xbd3fa81b58ba92a82136038b25adec7066af3155';
const MESSENGER_V2 = '0x28b5a0e9c621a5badaa536219b3a228c8168cf5d';
// The address of Circle's program, as messages carry it.
const SOLANA_MESSENGER = '0xa65fc943419a5ad590042fd67c9791fd015acf53a54cc823edb8ff81b9ed722e';
const BASE_TRANSMITTER = '0xad09780d193884d503182ad4588450c416d6f9d4';
const TRANSMITTER_V2 = '0x81d40f21f12a8f0e3252bccb954d722d4c464b64';
const DLN_SOURCE = '0xef4fb24ad0916217251f553c0596f8edc630eb66';
const DLN_DESTINATION = '0xe7351fd770a37282b91d153ee690b63579d6dd7f';
const ETHER_POOL = '0x77b2043768d28e9c9ab44e1abfc95944bce57931';
const USDC_POOL = '0xc026395860db2d07ee33e05fe50ed7bd583189c7';
const NOBODY = address('0');
const FAKE = address('7');
const FAR_TOKEN = address('f');
const SOLANA_KEY: Hex = `0x${'07'.repeat(32)}`;
const SOLANA_OWNER = encodeBase58(Buffer.alloc(32, 7), 0, 32);

const burn = (far: number, to: Hex) =>
  data('uint256, bytes32, uint32, bytes32, bytes32', [700n, to, far, SOLANA_KEY, SOLANA_KEY]);
const burnMessage = (amount: bigint, recipient: string, more: Hex = '0x') =>
  encodePacked(
    ['uint32', 'bytes32', 'bytes32', 'uint256', 'bytes32', 'bytes'],
    [more === '0x' ? 0 : 1, word(FAR_TOKEN) as Hex, word(recipient) as Hex, amount, word(ALICE) as Hex, more],
  );

test('CCTP: a burn is a deposit, its number that of its message, its recipient in the form of the far chain', () => {
  const topics = [TOPICS.cctpDeposit, word('0x2a'), word(TOKEN), word(ALICE)];
  expect(onlyOf([log(topics, burn(6, pad(BOB as Hex)), MESSENGER)])).toEqual({
    ...{ txIndex: 0, index: 0, bridge: 'cctp', side: 'deposit', messageId: '0:42', farChain: 'base' },
    ...{ from: ALICE, to: BOB, asset: TOKEN, amountRaw: 700n },
  });
  expect(onlyOf([log(topics, burn(5, SOLANA_KEY), MESSENGER)])).toMatchObject({
    farChain: 'solana',
    to: SOLANA_OWNER,
  });
});

const received = (sender: string, domain = 0) =>
  log(
    [TOPICS.cctpReceived, word(CAROL), word('0x2a')],
    data('uint32, bytes32, bytes', [domain, word(sender), burnMessage(700n, BOB)]),
    BASE_TRANSMITTER,
  );
const issued = (amount: number, token = USDC_ON_BASE) => transfer(NOBODY, BOB, amount, token);

test('CCTP: a message that issued money is a delivery, with the number of its burn', () => {
  expect(onlyOf([issued(700), received(MESSENGER)], 'base')).toMatchObject({
    ...{ bridge: 'cctp', side: 'delivery', messageId: '0:42', farChain: 'ethereum' },
    ...{ from: ALICE, to: BOB, asset: USDC_ON_BASE, amountRaw: 700n },
  });
  expect(onlyOf([issued(700), received(SOLANA_MESSENGER, 5)], 'base')).toMatchObject({ farChain: 'solana' });
  expect(onlyOf([issued(700), received(CAROL, 1)], 'base')).toMatchObject({ farChain: null });
});

test.each([
  ['that issued another amount', [issued(699), received(MESSENGER)]],
  ['beside which another token was issued', [issued(700, TOKEN), received(MESSENGER)]],
  ['of another sender than the messenger', [issued(700), received(CAROL)]],
  ['of another chain’s messenger', [issued(700), received(MESSENGER, 5)]],
  ['of the messenger of version 2', [issued(700), received(MESSENGER_V2)]],
])('CCTP: a message %s is no delivery', (_, logs) => {
  expect(told(logs, 'base')).toMatchObject({ bridgeTransfers: [], problems: [] });
});

test('CCTP: a token issued beside what a message issued is not taken for it', () => {
  const logs = [issued(700), issued(700, TOKEN), received(MESSENGER)];
  expect(onlyOf(logs, 'base')).toMatchObject({ asset: USDC_ON_BASE });
});

test('CCTP: what was issued once is of one message, the one of a known messenger', () => {
  const strange = received(CAROL, 1);
  for (const logs of [
    [issued(700), strange, received(MESSENGER)],
    [issued(700), received(MESSENGER), strange],
  ])
    expect(onlyOf(logs, 'base')).toMatchObject({ farChain: 'ethereum', messageId: '0:42' });
  const twice = [issued(700), issued(700), strange, received(MESSENGER)];
  expect(told(twice, 'base').bridgeTransfers.map(({ farChain, index }) => [farChain, index])).toEqual([
    [null, 0],
    ['ethereum', 1],
  ]);
});

/** Burnt on Ethereum and received on Base under version 2, with 5 of it kept. */
const crossV2 = (burnt: bigint, arrived = burnt, sender = MESSENGER_V2) => {
  const more = data('uint256, bytes32, uint32, bytes32, bytes32, uint256, bytes', [
    ...[burnt, pad(BOB as Hex), 6, SOLANA_KEY, SOLANA_KEY, 9n, '0x'],
  ]);
  const topics = [TOPICS.cctpDepositV2, word(FAR_TOKEN), word(ALICE), word('0x3e8')];
  const tail = encodePacked(['uint256', 'uint256', 'uint256'], [9n, 5n, 0n]);
  const message = log(
    [TOPICS.cctpReceivedV2, word(CAROL), SOLANA_KEY, word('0x3e8')],
    data('uint32, bytes32, bytes', [0, pad(sender as Hex), burnMessage(arrived, BOB, tail)]),
    TRANSMITTER_V2,
  );
  return {
    deposit: onlyOf([log(topics, more, MESSENGER_V2)]),
    delivery: told([issued(Number(arrived) - 5), message], 'base').bridgeTransfers[0],
  };
};

test('CCTP: version 2 gives its numbers off the chain; what both sides know stands for it', () => {
  const { deposit, delivery } = crossV2(700n);
  expect(deposit).toMatchObject({ farChain: 'base', from: ALICE, to: BOB, amountRaw: 700n });
  expect(delivery).toMatchObject({ farChain: 'ethereum', from: ALICE, to: BOB, amountRaw: 695n });
  expect(delivery?.messageId).toBe(deposit?.messageId);
  expect(crossV2(700n, 701n).delivery?.messageId).toMatch(/^0>6:/);
  expect(crossV2(700n, 701n).delivery?.messageId).not.toBe(deposit?.messageId);
  expect(crossV2(700n, 700n, CAROL).delivery).toBeUndefined();
});

const ORDER =
  '(uint64, bytes, uint256, bytes, uint256, uint256, bytes, uint256, bytes, bytes, bytes, bytes, bytes, bytes)';
const order = (give: number, take: number, receiver: string) => [
  ...[1n, ALICE, give, NOBODY, 700n, take, TOKEN, 690n, receiver, '0x', ALICE, '0x', '0x', '0x'],
];
const fulfilled = log(
  [TOPICS.debridgeFulfilled],
  data(`${ORDER}, bytes32, address, address`, [order(8453, 1, BOB), SOLANA_KEY, CAROL, CAROL]),
  DLN_DESTINATION,
);

test('deBridge: an order made and an order fulfilled have its id, and the null address is the coin', () => {
  const created = log(
    [TOPICS.debridgeCreated],
    data(`${ORDER}, bytes32, bytes, uint256, uint256, uint32, bytes`, [
      ...[order(1, 7565164, SOLANA_KEY), SOLANA_KEY, '0x', 0n, 0n, 0, '0x'],
    ]),
    DLN_SOURCE,
  );
  expect(onlyOf([created])).toMatchObject({
    ...{ bridge: 'debridge', side: 'deposit', messageId: SOLANA_KEY, farChain: 'solana' },
    ...{ from: ALICE, to: SOLANA_OWNER, asset: 'native', amountRaw: 700n },
  });
  expect(onlyOf([fulfilled])).toMatchObject({
    ...{ bridge: 'debridge', side: 'delivery', messageId: SOLANA_KEY, farChain: 'base' },
    ...{ from: ALICE, to: BOB, asset: TOKEN, amountRaw: 690n },
  });
});

const sent = (guid: string) =>
  log(
    [TOPICS.stargateSent, guid, word(ALICE)],
    data('uint32, uint256, uint256', [30184, 700n, 699n]),
    USDC_POOL,
  );

const forged = (from: string, to: string, amount: number) => transfer(from, to, amount, FAKE);

test('Stargate: both sides have the guid, and the asset of the pool, whatever else is logged', () => {
  const logs = [transfer(ALICE, USDC_POOL, 700, USDC), forged(ALICE, USDC_POOL, 700), sent(SOLANA_KEY)];
  expect(onlyOf(logs)).toMatchObject({
    ...{ bridge: 'stargate', side: 'deposit', messageId: SOLANA_KEY, farChain: 'base' },
    ...{ from: ALICE, to: null, asset: USDC, amountRaw: 700n },
  });
  const received = log(
    [TOPICS.stargateReceived, SOLANA_KEY, word(BOB)],
    data('uint32, uint256', [30184, 699n]),
    USDC_POOL,
  );
  expect(onlyOf([transfer(USDC_POOL, BOB, 699, USDC), forged(USDC_POOL, BOB, 699), received])).toMatchObject({
    ...{ side: 'delivery', messageId: SOLANA_KEY, farChain: 'base', to: BOB, asset: USDC, amountRaw: 699n },
  });
  expect(onlyOf([{ ...sent(SOLANA_KEY), address: ETHER_POOL }])?.asset).toBe('native');
});

test('Stargate: what waits to cross with others has no number', () => {
  expect(onlyOf([transfer(ALICE, USDC_POOL, 700), sent(word('0x0'))])?.messageId).toBeNull();
});

test('the same events are nothing from another contract, on a chain where the bridge is not, or of a failed transaction', () => {
  const forged = { ...fulfilled, address: TOKEN };
  expect(told([forged]).bridgeTransfers).toEqual([]);
  expect(told([fulfilled], 'gnosis').bridgeTransfers).toEqual([]);
  const failed = decode([{ receipt: { logs: [fulfilled], status: '0x0' } }]);
  expect(failed.bridgeTransfers).toEqual([]);
});

test('an event of a bridge that has not its form is a problem, and the rest of the transaction stands', () => {
  const cut = { ...fulfilled, data: String(fulfilled.data).slice(0, 200) };
  const { bridgeTransfers, movements, problems } = told([transfer(ALICE, BOB, 3), cut]);
  expect(bridgeTransfers).toEqual([]);
  expect(problems.map(({ code }) => code)).toEqual(['bridge_log_malformed']);
  expect(movements.some(({ asset }) => asset === TOKEN)).toBe(true);
});

test('an address in a message is one of its chain or none', () => {
  const [solana, ethereum] = ['solana', 'ethereum'].map((name) =>
    CHAINS.find((chain) => chain.name === name),
  );
  expect(toChainAddress(ethereum ?? null, word(BOB))).toBe(BOB);
  expect(toChainAddress(ethereum ?? null, SOLANA_KEY)).toBeNull();
  expect(toChainAddress(solana ?? null, BOB)).toBeNull();
  expect(toChainAddress(null, BOB)).toBeNull();
});
