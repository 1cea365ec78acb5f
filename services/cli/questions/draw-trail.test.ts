import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { readExamples } from '../../api/contract/describe-api.ts';
import { createSpoor, type Trail } from '../../sdk/create-spoor.ts';
import { move, tellStory } from '../../testing/chain-story.ts';
import { createMemoryReader } from '../../testing/memory-reader.ts';
import { startApi } from '../../testing/start-api.ts';
import { drawTrail } from './draw-trail.ts';
import { toTrailRows } from './trail-rows.ts';

const [ANN, BEA, CYD, DOT] = ['a', 'b', 'c', 'd'].map((digit) => `0x${digit.repeat(40)}`) as [
  ...[string, string, string, string],
];
const pay = (time: number, from: string, to: string, amountRaw: bigint, hash = `0x${time}`) => ({
  ...{ time, hash, moves: [move(from, to, amountRaw)] },
});
const askTrail = async (steps: ReturnType<typeof pay>[], body: object = {}): Promise<Trail> => {
  await using api = await startApi({ reader: createMemoryReader(tellStory('ethereum', steps)) });
  return await createSpoor({ url: api.url }).follow({
    address: ANN,
    chain: 'ethereum',
    asset: 'native',
    ...body,
  });
};
const draw = (trail: Trail): string => stripVTControlCharacters(drawTrail(trail));
const AFTER = pay(9_000, `0x${'e'.repeat(40)}`, `0x${'f'.repeat(40)}`, 1n);

test('a hop in several transactions names each with its amount, and the other payments', async () => {
  const steps = [pay(10, ANN, BEA, 40n), pay(20, ANN, BEA, 50n), pay(30, ANN, CYD, 7n), AFTER];
  const trail = await askTrail(steps);
  const text = draw(trail);
  expect(text).toMatch(/0\.00000000000000009 ETH.* % of [a-z ]+, in 2 transactions\n/);
  for (const [hash, amount] of [
    ['0x10', '0.00000000000000004'],
    ['0x20', '0.00000000000000005'],
  ])
    expect(text).toContain(`  ${amount} ETH  https://etherscan.io/tx/${hash}\n`);
  expect(text).toMatch(/also 0\.000000000000000007 ETH → 0xc/i);
  const [row, end] = toTrailRows(trail);
  expect(row).toMatchObject({ signatures: '0x10 0x20', times: '10 20', transactions_total: 2, end: null });
  expect(end).toMatchObject({ end: 'at_rest', detail: trail.end.detail });
});

test('the next command stands below every end that has one', async () => {
  const rests = await askTrail([pay(10, ANN, BEA, 90n), AFTER]);
  expect(draw(rests)).toMatch(/\nNext:\n {2}npx spoor analyze 0xb{40} --chain ethereum$/i);
  const split = [pay(20, BEA, CYD, 30n), pay(21, BEA, DOT, 31n), pay(22, BEA, `0x${'1'.repeat(40)}`, 29n)];
  const text = draw(await askTrail([pay(10, ANN, BEA, 90n), ...split, AFTER]));
  expect(
    text.match(/ {2}npx spoor follow 0x\S+ --chain ethereum --asset native --since 2\d --amount/g),
  ).toHaveLength(3);
  const example = readExamples().follow?.answer as Trail;
  expect(draw(example)).toMatch(/\nNext:\n {2}npx spoor trace /);
});

test('money at a burn address is said to be lost, on every chain', async () => {
  for (const burn of [`0x${'0'.repeat(40)}`, '0x000000000000000000000000000000000000dead']) {
    const { end } = await askTrail([pay(10, ANN, burn, 90n), AFTER]);
    expect(end).toMatchObject({ reason: 'at_rest' });
    expect(end.detail).toContain('a burn address: nobody has its key');
  }
});
