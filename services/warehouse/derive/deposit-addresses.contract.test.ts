import { beforeEach, describe, expect, test } from 'vitest';
import { SEQUENCE_SLOTS } from '../../events/event-sequence.ts';
import { NATIVE } from '../../investigate/model/movement.ts';
import {
  DeriveStage,
  type Payment,
  payment,
  SWEPT_TWICE,
  tradesAt,
  USDC,
} from '../../testing/derive-stage.ts';
import { hideRetracted } from '../sink/hide-retracted.ts';
import { depositAddresses } from './deposit-addresses.ts';

const stage = new DeriveStage();
beforeEach(() => stage.empty());

const holding = () =>
  stage.ask('SELECT address, entity FROM deposit_addresses FINAL WHERE holds ORDER BY address');

const CUSTOMERS = Array.from({ length: 31 }, (_, n): Payment => [`payer ${n}`, 'box', 1, n / 10]);

/** What an address called box did, and whether it is the exchange's. */
const BEHAVIOURS: Readonly<Record<string, readonly [holds: boolean, payments: readonly Payment[]]>> = {
  'passes on what it gets, twice': [true, SWEPT_TWICE],
  'sweeps once': [false, SWEPT_TWICE.slice(0, 2)],
  'collects several payments for a sweep': [
    true,
    [...SWEPT_TWICE, ['cem', 'box', 1, 41], ['dan', 'box', 2, 42], ['box', 'hot', 3, 43]],
  ],
  'keeps what it gets': [
    false,
    [
      ['ann', 'box', 50, 0],
      ['box', 'hot', 5, 1],
      ['bob', 'box', 70, 2],
      ['box', 'hot', 7, 3],
    ],
  ],
  'sweeps days later': [
    false,
    [
      ['ann', 'box', 5, 0],
      ['box', 'hot', 5, 60],
      ['bob', 'box', 7, 70],
      ['box', 'hot', 7, 140],
    ],
  ],
  'pays others as well': [
    false,
    [...SWEPT_TWICE, ['ann', 'box', 4, 41], ['box', 'shop', 2, 42], ['box', 'pub', 2, 43]],
  ],
  'pays two exchanges': [false, [...SWEPT_TWICE, ['ann', 'box', 4, 41], ['box', 'cold', 4, 42]]],
  'is paid by the exchange': [false, [...SWEPT_TWICE, ['hot', 'box', 9, 41], ['box', 'hot', 9, 42]]],
  'is paid by a crowd': [false, [...CUSTOMERS, ['box', 'hot', 31, 5], ...SWEPT_TWICE.slice(2)]],
  'gets its gas from a third': [true, [...SWEPT_TWICE, ['gas', 'box', 0.005, 41]]],
};

describe('deposit addresses', () => {
  test('are told by what they do', async () => {
    await stage.nameHot('solana', { hot: 'alder', cold: 'birch' });
    const nameOf = (wallet: string, behaviour: string): string =>
      ['hot', 'cold'].includes(wallet) ? wallet : `${wallet} that ${behaviour}`;
    const payments = Object.entries(BEHAVIOURS).flatMap(([behaviour, [, rows]]) =>
      rows.map(([from, to, ...rest]): Payment => [nameOf(from, behaviour), nameOf(to, behaviour), ...rest]),
    );
    await stage.insert(payments.map((row, index) => payment(row, index)));
    await stage.derive([depositAddresses]);
    const expected = Object.entries(BEHAVIOURS).flatMap(([behaviour, [holds]]) =>
      holds ? [[`box that ${behaviour}`, 'alder']] : [],
    );
    expect(await holding()).toEqual(expected.sort());
  });

  test('are told by whole blocks: what came without its block counts with it, and not before', async () => {
    await stage.nameHot('solana', { hot: 'alder' });
    await stage.insert(SWEPT_TWICE.map((row, index) => payment(row, index)));
    await stage.derive([depositAddresses]);
    const spent = (['pub', 'shop'] as const).map((to, index) =>
      payment(['box', to, 5, 41 + index], 20 + index),
    );
    await stage.insert(spent, { whole: false });
    await stage.insert([payment(['ann', 'bob', 1, 50], 30)]);
    await stage.derive([depositAddresses]);
    expect(await holding()).toEqual([['box', 'alder']]);
    await stage.empty('derived');
    await stage.derive([depositAddresses]);
    expect(await holding()).toEqual([['box', 'alder']]);
    await stage.insert(spent);
    await stage.derive([depositAddresses]);
    expect(await holding()).toEqual([]);
  });

  test('are not made by amounts of a lying contract whose sums wrap at 2^256', async () => {
    await stage.nameHot('ethereum', { hot: 'alder' });
    const rounds = [0, 30].flatMap((hours) => [
      ['ann', 'box', 2n ** 256n - 1n, hours],
      ['bob', 'box', 11n, hours],
      ['box', 'hot', 10n, hours + 1],
    ]);
    const paid = rounds.map(([from, to, amountRaw, hours], index) => {
      const [block] = [payment([String(from), String(to), 1, Number(hours)], index, { chain: 'ethereum' })];
      const movements = block.movements.map((row) => ({
        ...row,
        asset: 'junk',
        canonicalAsset: 'junk',
        amountRaw: BigInt(amountRaw ?? 0),
      }));
      return { ...block, movements };
    });
    await stage.insert(paid);
    await stage.derive([depositAddresses]);
    expect(await holding()).toEqual([]);
  });

  test('are none any more when a block that was settled is replaced by one without their sweep', async () => {
    await stage.nameHot('solana', { hot: 'alder' });
    const blocks = SWEPT_TWICE.map((row, index) => payment(row, index));
    await stage.insert(blocks);
    const replaced = stage.nextSequence - SEQUENCE_SLOTS;
    await stage.derive([depositAddresses]);
    expect(await holding()).toEqual([['box', 'alder']]);
    await hideRetracted(stage.warehouse.writer, [replaced]);
    await stage.insert([payment(['eve', 'dan', 1, 40], blocks.length - 1)]);
    await stage.derive([depositAddresses]);
    expect(await holding()).toEqual([]);
  });

  test('are none any more when they stop passing on, or no list names the exchange; slow ones are believed less', async () => {
    await stage.nameHot('solana', { hot: 'alder' });
    await stage.insert(SWEPT_TWICE.map((row, index) => payment(row, index)));
    await stage.derive([depositAddresses]);
    const confidence = async () =>
      Number((await stage.ask('SELECT confidence FROM deposit_addresses FINAL'))[0]?.[0]);
    const early = await confidence();
    // Tutela's: one sweep after an hour of twelve that leaves all it may, one after ten hours that leaves nothing.
    expect(early).toBeCloseTo(((1 - 1 / 12 + 0) / 2 + (1 - 10 / 12 + 1) / 2) / 2, 6);
    await stage.insert([payment(['ann', 'box', 5, 50], 10), payment(['box', 'hot', 5, 61.9], 11)]);
    await stage.derive([depositAddresses]);
    expect(await confidence()).toBeLessThan(early);
    await stage.nameHot('solana', { hot: '' });
    await stage.derive([depositAddresses]);
    expect(await holding()).toEqual([]);
    await stage.nameHot('solana', { hot: 'alder' });
    await stage.derive([depositAddresses]);
    expect(await holding()).toEqual([['box', 'alder']]);
    await stage.insert([payment(['ann', 'box', 50, 63], 20)]);
    await stage.derive([depositAddresses]);
    expect(await holding()).toEqual([['box', 'alder']]);
    // It does nothing more; only the chain goes on.
    await stage.insert([payment(['eve', 'dan', 1, 99], 21)]);
    await stage.derive([depositAddresses]);
    expect(await holding()).toEqual([]);
  });

  test('are none that pay strangers most of a coin that they never sweep', async () => {
    await stage.nameHot('solana', { hot: 'alder' });
    const inToken = (rows: readonly Payment[], from: number) =>
      rows.map((row, index) => payment(row, from + index, { asset: 'a token' }));
    await stage.insert([...inToken(SWEPT_TWICE, 0), ...inToken(SWEPT_TWICE, 10)]);
    await stage.derive([depositAddresses]);
    expect(await holding()).toEqual([['box', 'alder']]);
    await stage.insert([payment(['ann', 'box', 9_000, 41], 20), payment(['box', 'eve', 8_999, 42], 21)]);
    await stage.derive([depositAddresses]);
    expect(await holding()).toEqual([]);
  });
});

test('who trades is no deposit address, however faithfully it passes on what others pay', async () => {
  await stage.nameHot('ethereum', { hot: 'alder' });
  const trader = 'trader 9 0';
  const rounds = [0, 2, 4, 6].flatMap((hour, index) => [
    payment(['ann', trader, 5, hour], 2 * index, { chain: 'ethereum' }),
    payment([trader, 'hot', 5, hour + 1], 2 * index + 1, { chain: 'ethereum' }),
  ]);
  await stage.insert(rounds);
  await stage.derive([depositAddresses]);
  expect(await holding()).toEqual([[trader, 'alder']]);
  await stage.insert([tradesAt(9, [[USDC, 1, NATIVE, 1]])]);
  await stage.derive([depositAddresses]);
  expect(await holding()).toEqual([]);
});

/** What was swept, who sent the sweeps, what each left behind, and whether that makes a deposit address. */
const EVM_SWEEPS: readonly [asset: string, sender: string | undefined, left: number, holds: boolean][] = [
  [NATIVE, undefined, 0.009, true],
  [NATIVE, undefined, 0.02, false],
  [USDC, 'relayer', 0, true],
  ['a token', undefined, 0, true],
  // Anybody can log that a token of their own moved.
  ['a token', 'relayer', 0, false],
];

test('on EVM chains a sweep of a token nobody lists counts only where the address itself sent it', async () => {
  await stage.nameHot('ethereum', { hot: 'alder' });
  const blocks = EVM_SWEEPS.flatMap(([asset, sender, left], index) => {
    const box = `box ${index}`;
    const paid = { chain: 'ethereum', asset };
    const sweep = { ...paid, sender: sender ?? box };
    return [
      payment(['ann', box, 5, index], 10 * index, paid),
      payment([box, 'hot', 5 - left, index + 0.5], 10 * index + 1, sweep),
      payment(['bob', box, 7, index + 1], 10 * index + 2, paid),
      payment([box, 'hot', 7 - left, index + 1.5], 10 * index + 3, sweep),
    ];
  });
  await stage.insert(blocks);
  await stage.derive([depositAddresses]);
  const expected = EVM_SWEEPS.flatMap(([, , , holds], index) => (holds ? [[`box ${index}`, 'alder']] : []));
  expect(await holding()).toEqual(expected);
  const sponsored = 'SELECT address FROM deposit_addresses FINAL WHERE holds AND sponsored_share = 1';
  expect(await stage.ask(sponsored)).toEqual([['box 2']]);
});
