import { expect, test } from 'vitest';
import { askAnalyst } from '../../testing/ask-analyst.ts';
import { DeriveStage, payment, START } from '../../testing/derive-stage.ts';
import { makeViews } from '../analyst/make-views.ts';
import { firstFunders } from './first-funders.ts';
import { lookalikes } from './lookalikes.ts';
import { tokenFirsts } from './token-firsts.ts';

const stage = new DeriveStage({ ownEngine: true });

const funders = () =>
  askAnalyst(
    stage.warehouse,
    'SELECT wallet, funder, toUnixTimestamp(missing_before) FROM first_funders ORDER BY wallet',
  );

test('a view of who was first says where earlier blocks may be missing, and no more once they are there', async () => {
  await makeViews(stage.warehouse);
  const blocks = Array.from({ length: 200 }, (_, at) => payment(['hub', `wallet ${at % 2}`, 1, at], at));
  const derive = () => stage.derive([firstFunders, tokenFirsts, lookalikes]);
  await stage.insert(blocks.filter((_, at) => at < 20 || at > 60));
  await derive();
  const missing = START + 61 * 3_600;
  expect(await funders()).toEqual([
    ['wallet 0', 'hub', missing],
    ['wallet 1', 'hub', missing],
  ]);
  for (const view of ['tokens', 'lookalikes', 'deposit_addresses', 'programs'])
    await askAnalyst(stage.warehouse, `SELECT missing_before FROM ${view}`);
  // What a wallet did first, last or in all, is told by rows of these.
  const of = "chain = 'solana'";
  for (const view of ['wallet_activity', 'hops', `wallet(${of}, address = 'hub')`])
    expect(
      await askAnalyst(stage.warehouse, `SELECT DISTINCT toUnixTimestamp(missing_before) FROM ${view}`),
    ).toEqual([[missing]]);
  for (const view of [
    'service_activity',
    `service(${of}, entity = 'hub', from = '2020-01-01 00:00:00', to = '2020-01-02 00:00:00')`,
  ])
    await askAnalyst(stage.warehouse, `SELECT missing_before FROM ${view}`);
  await stage.insert(blocks.filter((_, at) => at >= 20 && at <= 60));
  await derive();
  expect(await funders()).toEqual([
    ['wallet 0', 'hub', null],
    ['wallet 1', 'hub', null],
  ]);
});
