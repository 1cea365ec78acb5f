import { beforeEach, describe, expect, test } from 'vitest';
import { NATIVE } from '../../investigate/model/movement.ts';
import { buildBlock } from '../../testing/build-block.ts';
import {
  DeriveStage,
  HOUR,
  type Payment,
  payment,
  START,
  SWEPT_TWICE,
  USDC,
} from '../../testing/derive-stage.ts';
import { depositAddresses } from './deposit-addresses.ts';

const stage = new DeriveStage();
beforeEach(() => stage.empty());

const holding = () => stage.ask('SELECT address FROM deposit_addresses FINAL WHERE holds ORDER BY address');
const onEthereum = { chain: 'ethereum' };
const paid = (rows: readonly Payment[], from: number, how: Parameters<typeof payment>[2]) =>
  stage.insert(rows.map((row, index) => payment(row, from + index, how)));
const nameBox = (rows: readonly Payment[], name: string): Payment[] =>
  rows.map(([from, to, ...rest]) => [from === 'box' ? name : from, to === 'box' ? name : to, ...rest]);
/** Time goes by, by the chain's clock alone. */
const month = (chain: string) => paid([['eve', 'dan', 1, 24 * 30]], 9_000, { chain });

describe('what makes nobody a deposit address', () => {
  test('a token without worth that a delegate moves through a wallet, and not one that the wallet signs for and another pays for', async () => {
    await stage.nameHot('solana', { hot: 'alder' });
    await paid([['employer', 'innocent', 50, 0]], 0, {});
    await paid(nameBox(SWEPT_TWICE, 'innocent'), 10, { asset: 'junk', sender: 'thief', authority: 'thief' });
    await paid(SWEPT_TWICE, 20, { asset: 'a token', sender: 'gas payer' });
    await stage.derive([depositAddresses]);
    expect(await holding()).toEqual([['box']]);
  });

  test('tokens of its own making, where it keeps money that it never passes on', async () => {
    await stage.nameHot('ethereum', { hot: 'alder' });
    const often = Array.from({ length: 20 }, (_, n): Payment[] => [
      ['ann', 'box', 5, n],
      ['box', 'hot', 5, n + 0.1],
    ]);
    await paid(often.flat(), 0, { ...onEthereum, asset: 'junk' });
    for (const [index, asset] of [NATIVE, USDC].entries()) {
      await stage.derive([depositAddresses]);
      await paid([['victim', 'box', 9_000, 24 + index]], 100 + index, { ...onEthereum, asset });
    }
    await stage.derive([depositAddresses]);
    expect(await holding()).toEqual([['box']]);
    // It does nothing more.
    await month('ethereum');
    await stage.derive([depositAddresses]);
    expect(await holding()).toEqual([]);
  });
});

const crowd = (name: string, count: number): string[] =>
  Array.from({ length: count }, (_, n) => `${name} ${n}`);
const JUNK = { ...onEthereum, asset: 'junk', sender: 'thief' };
const DOLLARS = { ...onEthereum, asset: USDC };

/** What a stranger does, for next to nothing, to an address that sweeps USDC: which payments come, and how. */
const FORCED: Readonly<
  Record<string, (box: string) => readonly [rows: readonly Payment[], how: Parameters<typeof payment>[2]]>
> = {
  'logs that tokens of their own left it, to many': (box) => [
    crowd('lookalike', 101).map((to) => [box, to, 1, 41]),
    JUNK,
  ],
  'logs that they went to another exchange': (box) => [[[box, 'cold', 1, 41]], JUNK],
  'sends it a millionth of a dollar from many': (box) => [
    crowd('dust', 31).map((from) => [from, box, 0.000001, 41]),
    DOLLARS,
  ],
  'sends it tokens of their own': (box) => [[['thief', box, 1e9, 41]], JUNK],
  'sends it a little of what it never sweeps': (box) => [[['thief', box, 0.03, 41]], onEthereum],
};

/** A stranger logs that a token of theirs left the owner, who is paid for it. */
const swap = (number: number, owner: string, [gotAsset, gotRaw]: readonly [asset: string, raw: bigint]) =>
  buildBlock({
    ...onEthereum,
    number,
    timeUnixSeconds: START + 41 * HOUR,
    transactions: [
      {
        hash: `swap-${number}`,
        sender: 'stranger',
        movements: [{ from: 'stranger', to: owner, asset: gotAsset, amountRaw: gotRaw }],
        swaps: [{ owner, gaveAsset: 'junk', gaveRaw: 1n, gotAsset, gotRaw, through: 'stranger' }],
      },
    ],
  });

test('no deposit address is lost by what a stranger does to it for next to nothing', async () => {
  await stage.nameHot('ethereum', { hot: 'alder', cold: 'birch' });
  const boxes = [...Object.keys(FORCED), 'logs that one left it for a trifle'].sort();
  const sweeps = boxes.flatMap((box) => nameBox(SWEPT_TWICE, box));
  await paid(sweeps, 0, DOLLARS);
  await stage.derive([depositAddresses]);
  expect(await holding()).toEqual(boxes.map((box) => [box]));
  for (const [index, [box, force]] of Object.entries(FORCED).entries())
    await paid(force(box)[0], 200 * (1 + index), force(box)[1]);
  await stage.insert([swap(5_000, 'logs that one left it for a trifle', [NATIVE, 1n])]);
  await month('ethereum');
  await stage.derive([depositAddresses]);
  expect(await holding()).toEqual(boxes.map((box) => [box]));
  await stage.empty('derived');
  await stage.derive([depositAddresses]);
  expect(await holding()).toEqual(boxes.map((box) => [box]));
});

test('nor is it kept from being one, where that was done before its first sweep', async () => {
  await stage.nameHot('ethereum', { hot: 'alder' });
  await paid(
    crowd('lookalike', 101).map((to) => ['box', to, 1, 41]),
    100,
    JUNK,
  );
  await stage.derive([depositAddresses]);
  await paid(SWEPT_TWICE, 0, DOLLARS);
  await stage.derive([depositAddresses]);
  expect(await holding()).toEqual([['box']]);
});

test('an order that somebody else settled makes a trader of who was paid money for it', async () => {
  await stage.nameHot('ethereum', { hot: 'alder' });
  await paid(SWEPT_TWICE, 0, onEthereum);
  await stage.derive([depositAddresses]);
  expect(await holding()).toEqual([['box']]);
  await stage.insert([swap(100, 'box', [USDC, 200_000_000n])]);
  await stage.derive([depositAddresses]);
  expect(await holding()).toEqual([]);
});
