import { expect, test } from 'vitest';
import { buildBlock } from '../../../testing/build-block.ts';
import { DeriveStage } from '../../../testing/derive-stage.ts';
import { firstFunders } from '../../derive/first-funders.ts';
import { lookalikes } from '../../derive/lookalikes.ts';
import { tokenFirsts } from '../../derive/token-firsts.ts';
import { createFunderReader } from '../create-funder-reader.ts';

const ALL = [firstFunders, tokenFirsts, lookalikes];
const limits = { signal: new AbortController().signal, timeoutMs: 20_000 };
const stage = new DeriveStage();

const blocksFrom = (first: number, count: number) =>
  Array.from({ length: count }, (_, index) =>
    buildBlock({
      ...{ chain: 'solana', number: first + index, timeUnixSeconds: 1_700_000_000 + first + index },
      transactions: [
        {
          hash: `${first + index}`,
          sender: 'ann',
          movements: [{ from: 'ann', to: `to ${index}`, amountRaw: 1n }],
        },
      ],
    }),
  );

test('the first block that derived facts lack is told until every one of them has read it', async () => {
  const ask = (...chains: string[]) =>
    createFunderReader(stage.warehouse.reader).underivedFrom({}, chains, limits);
  await stage.insert(blocksFrom(10, 3));
  expect(await ask('solana')).toEqual([10]);
  await stage.derive(ALL);
  expect(await ask('solana', 'ethereum')).toEqual([null, null]);
  // Older blocks may come later.
  await stage.insert([...blocksFrom(20, 3), ...blocksFrom(5, 2)]);
  expect(await ask('solana')).toEqual([5]);
  await stage.derive([firstFunders, tokenFirsts]);
  expect(await ask('solana')).toEqual([5]);
  await stage.derive(ALL);
  expect(await ask('solana')).toEqual([null]);
});
