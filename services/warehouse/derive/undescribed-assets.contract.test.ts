import { beforeEach, expect, test } from 'vitest';
import { NATIVE } from '../../investigate/model/movement.ts';
import { DeriveStage, tradesAt, USDC } from '../../testing/derive-stage.ts';
import { withMemory } from '../../testing/with-memory.ts';
import { readUndescribedAssets } from './undescribed-assets.ts';

const stage = new DeriveStage();
beforeEach(() => stage.empty());

test('who was not asked about is found with the memory of what moved, however many were', async () => {
  const claim = (asset: string, from: string): Promise<unknown> =>
    stage.warehouse.writer.command({
      query: `INSERT INTO asset_claims (chain, asset, symbol, decimals, sequence) SELECT 'ethereum', ${asset}, 'x', 6, 0 ${from}`,
    });
  await claim('hex(sipHash128(number))', 'FROM numbers(3000000)');
  await claim(`'${USDC}'`, '');
  await stage.insert([tradesAt(0, [[USDC, 2_000, 'token', 1]]), tradesAt(1, [[USDC, 2_000, NATIVE, 1]])]);
  const assets = await readUndescribedAssets(withMemory(stage.warehouse.reader, 200 << 20), {
    ...{
      chain: 'ethereum',
      lanes: [{ lane: 0, begin: 0, end: stage.nextSequence }],
      known: [NATIVE],
      limit: 9,
    },
    ...{ signal: new AbortController().signal, timeoutMs: 20_000 },
  });
  expect(assets).toEqual(['token']);
});
