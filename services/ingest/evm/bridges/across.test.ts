import { expect, test } from 'vitest';
import { follow } from '../../../investigate/follow/follow.ts';
import { followWith, toFollowRequest } from '../../../testing/ask-follow.ts';
import { blockParts } from '../../../testing/block-parts.ts';
import {
  ACROSS_V2,
  ACROSS_V3,
  ACROSS_V3_LONG,
  ACROSS_VERSIONS,
  BASE_SPOKE_POOL,
  type Relay,
  SPOKE_POOL,
} from '../../../testing/evm/across-events.ts';
import {
  ALICE,
  address,
  BOB,
  CAROL,
  decode,
  hex,
  type Part,
  TOKEN,
  transfer,
  USDC,
  USDC_ON_BASE,
  WETH,
} from '../../../testing/evm/small-evm-block.ts';
import { createMemoryReader } from '../../../testing/memory-reader.ts';

const NOBODY = address('0');
const FAKE = address('7');
const INNOCENT = address('9');
const VERSIONS = Object.entries(ACROSS_VERSIONS);

const onlyOf = (event: Record<string, unknown>, chain = 'ethereum') => {
  const { bridgeTransfers, problems } = decode([{ receipt: { logs: [event] } }], { chain });
  expect(problems).toEqual([]);
  expect(bridgeTransfers).toHaveLength(1);
  return bridgeTransfers[0];
};
const sentAs = (deposit: Record<string, unknown>) => onlyOf(deposit)?.messageId;
const paidAs = (fill: Record<string, unknown>) => onlyOf(fill, 'base')?.messageId;

test.each(VERSIONS)('a deposit of %s has the number of its pool', (_, { deposit }) => {
  expect(onlyOf(deposit())).toMatchObject({
    ...{ bridge: 'across', side: 'deposit', messageId: expect.stringMatching(/^1:42:/), farChain: 'base' },
    ...{ from: ALICE, to: BOB, asset: USDC, amountRaw: 700n },
  });
});

test.each(VERSIONS)(
  'a relay of %s says what it paid, and whom its depositor wanted in the end',
  (_, { fill }) => {
    const far = onlyOf(fill({ outputRaw: 10_000n, inputRaw: 10_000n }, { to: CAROL, raw: 9_850n }), 'base');
    expect(far).toMatchObject({
      ...{ bridge: 'across', side: 'delivery', farChain: 'ethereum' },
      ...{ from: null, to: CAROL, asset: USDC_ON_BASE, amountRaw: 9_850n },
    });
  },
);

test.each(VERSIONS)(
  'both sides of %s have one number, whomever its depositor wanted in the end',
  (_, sides) => {
    expect(paidAs(sides.fill({}, { to: CAROL, raw: 1n }))).toBe(sentAs(sides.deposit()));
    const message = { message: '0x1234' } as const;
    expect(paidAs(sides.fill(message))).toBe(sentAs(sides.deposit(message)));
  },
);

test.each(VERSIONS)(
  'both sides of %s meet in tokens that no list names, and not on another chain than the deposit names',
  (_, sides) => {
    const unlisted = { input: TOKEN, output: FAKE };
    expect(paidAs(sides.fill(unlisted))).toBe(sentAs(sides.deposit(unlisted)));
    expect(paidAs(sides.fill(unlisted))).not.toBe(
      sentAs(sides.deposit({ ...unlisted, farChainId: 59_144n })),
    );
  },
);

test('the two forms of version 3 are one', () => {
  expect(paidAs(ACROSS_V3_LONG.fill())).toBe(sentAs(ACROSS_V3.deposit()));
});

const EVERYWHERE: readonly Partial<Relay>[] = [
  { recipient: CAROL },
  { depositor: CAROL },
  { inputRaw: 7_000n },
  { output: FAKE },
];
const SINCE_V3: readonly Partial<Relay>[] = [
  ...EVERYWHERE,
  { outputRaw: 9n },
  { input: TOKEN },
  { fillDeadline: 4 },
  { exclusivityDeadline: 4 },
  { exclusiveRelayer: BOB },
  { message: '0x12' },
];

test.each(VERSIONS)(
  'a relay of %s with a deposit’s number and other data is another crossing',
  (name, sides) => {
    for (const changed of name === 'version 2' ? EVERYWHERE : SINCE_V3)
      expect(paidAs(sides.fill(changed)), JSON.stringify(Object.keys(changed))).not.toBe(
        sentAs(sides.deposit()),
      );
  },
);

test('a deposit may leave it to the other side which token its own is there, where lists say it', () => {
  const open = sentAs(ACROSS_V3.deposit({ output: NOBODY }));
  expect(paidAs(ACROSS_V3.fill())).toBe(open);
  expect(paidAs(ACROSS_V3.fill({ output: FAKE }))).not.toBe(open);
});

test.each(VERSIONS)(
  'a forged relay of a deposit of %s does not redirect its trail',
  async (_, { deposit, fill }) => {
    const at = (seconds: number) => ({ timestamp: hex(1_711_000_000 + seconds) });
    const raw = { inputRaw: 700_000_000n, outputRaw: 690_000_000n };
    const near = decode(
      [
        {
          tx: { value: '0x0' },
          receipt: { logs: [transfer(ALICE, SPOKE_POOL, 700_000_000, USDC), deposit(raw)] },
        },
      ],
      at(0),
    );
    const tx = { from: CAROL, value: '0x0' };
    const real: Part = {
      tx,
      receipt: { logs: [transfer(CAROL, BOB, 690_000_000, USDC_ON_BASE), fill(raw)] },
    };
    const most = { output: FAKE, inputRaw: 2n ** 200n, outputRaw: 2n ** 200n };
    const forged: Part = {
      tx,
      receipt: {
        logs: [
          fill({ ...raw, ...most, recipient: INNOCENT }),
          fill({ ...raw, output: FAKE }),
          fill({ ...raw, recipient: INNOCENT }),
        ],
      },
    };
    const labels = new Map([[SPOKE_POOL, { name: 'Across', kind: 'bridge' as const }]]);
    const outputOf = async (parts: Part[]) => {
      const reader = createMemoryReader([near, decode(parts, { chain: 'base', ...at(60) })], { labels });
      const request = toFollowRequest({ chain: 'ethereum', start: ALICE, canonicalAsset: USDC });
      const { end } = await follow(request, followWith(reader));
      return end.reason === 'bridge' ? end.output : end;
    };
    const paid = { address: BOB, asset: { asset: USDC_ON_BASE }, by: 'id', confidence: 1 };
    expect(await outputOf([forged, real])).toMatchObject(paid);
    expect(await outputOf([forged])).toBeNull();
  },
);

const payerOf = (logs: Record<string, unknown>[], tx = {}) =>
  decode([{ tx, receipt: { logs: [...logs, ACROSS_V3.deposit({ depositor: INNOCENT })] } }])
    .bridgeTransfers[0]?.from;

test('whoever is named as depositor, who paid the pool put it in, unless who is named gave it to him or sent the transaction', () => {
  const paid = transfer(CAROL, SPOKE_POOL, 700, USDC);
  expect(payerOf([paid])).toBe(CAROL);
  expect(payerOf([transfer(INNOCENT, CAROL, 1, USDC), transfer(INNOCENT, CAROL, 700, FAKE), paid])).toBe(
    CAROL,
  );
  expect(payerOf([transfer(INNOCENT, CAROL, 700, USDC), paid])).toBe(INNOCENT);
  expect(payerOf([paid], { from: INNOCENT })).toBe(INNOCENT);
  expect(payerOf([])).toBeNull();
});

test('a payment of nothing, or in a token that nobody lists, says of nobody but the sender that he put it in', () => {
  const of = (token: string, raw: number, payer: string) =>
    decode([
      {
        tx: { from: CAROL },
        receipt: {
          logs: [
            transfer(payer, SPOKE_POOL, raw, token),
            ACROSS_V3.deposit({ depositor: INNOCENT, input: token, inputRaw: BigInt(raw) }),
          ],
        },
      },
    ]).bridgeTransfers[0]?.from;
  expect(of(FAKE, 700, INNOCENT)).toBeNull();
  expect(of(FAKE, 700, ALICE)).toBeNull();
  expect(of(FAKE, 700, CAROL)).toBe(CAROL);
  expect(of(USDC, 0, INNOCENT)).toBeNull();
  expect(of(USDC, 700, INNOCENT)).toBe(INNOCENT);
});

test('backward, a trail goes on to who paid the pool, not to whom the deposit names', async () => {
  const crossed = { depositor: INNOCENT, inputRaw: 700_000_000n, outputRaw: 690_000_000n };
  const near = decode([
    {
      tx: { value: '0x0' },
      receipt: { logs: [transfer(ALICE, SPOKE_POOL, 700_000_000, USDC), ACROSS_V3.deposit(crossed)] },
    },
  ]);
  const paid = transfer(BASE_SPOKE_POOL, BOB, 690_000_000, USDC_ON_BASE);
  const far = decode(
    [{ tx: { from: CAROL, value: '0x0' }, receipt: { logs: [paid, ACROSS_V3.fill(crossed)] } }],
    { chain: 'base', timestamp: '0x66000100' },
  );
  const labels = new Map([[BASE_SPOKE_POOL, { name: 'Across', kind: 'bridge' as const }]]);
  const request = toFollowRequest({
    chain: 'base',
    start: BOB,
    canonicalAsset: USDC_ON_BASE,
    backward: true,
  });
  const { end } = await follow(request, followWith(createMemoryReader([near, far], { labels })));
  expect(end).toMatchObject({ reason: 'bridge', output: { chain: { name: 'ethereum' }, address: ALICE } });
});

test('of a deposit of the coin, who paid it in the coin put it in', () => {
  const deposit = ACROSS_V3.deposit({ depositor: INNOCENT, input: WETH });
  const tx = { to: SPOKE_POOL, value: hex(700) };
  expect(decode([{ tx, receipt: { logs: [deposit] } }]).bridgeTransfers).toMatchObject([{ from: ALICE }]);
});

test('a relay whose fees leave an amount that nobody can be paid is none, and its block is stored', () => {
  const fills = [
    ACROSS_V2.fill({}, { feePct: 10n ** 18n }),
    ACROSS_V2.fill({ inputRaw: 2n ** 256n - 1n }, { feePct: -(10n ** 18n) }),
    ACROSS_V2.fill(),
  ];
  const block = decode([{ receipt: { logs: fills } }], { chain: 'base' });
  expect(block.bridgeTransfers).toMatchObject([{ amountRaw: 689n }]);
  expect(blockParts(block)).toHaveLength(1);
});

test('a relay to oneself in a deposit that pays no fee moves nothing, and its crossing is kept', () => {
  const fill = ACROSS_V3.fill({ recipient: ALICE });
  const tx = { type: '0x7e', value: '0x0', mint: '0x0', to: BASE_SPOKE_POOL, input: '0x2e378115' };
  const block = decode(
    [{ tx, trace: { to: BASE_SPOKE_POOL }, receipt: { logs: [fill] } }],
    { chain: 'base' },
    true,
  );
  expect(block).toMatchObject({ movements: [], problems: [], bridgeTransfers: [{ side: 'delivery' }] });
  const [{ hash } = { hash: '' }] = block.transactions;
  expect(blockParts(block)).toMatchObject([{ tx_hash: [hash], tx_movements: [0], b_hash: [hash] }]);
});
