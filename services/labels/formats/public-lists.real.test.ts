import { expect, test } from 'vitest';
import { readPublicList, testEveryRow } from '../../testing/labels/public-lists.ts';
import { describeWithSharedData } from '../../testing/shared-data.ts';
import { KnownLabels } from '../known-labels.ts';

describeWithSharedData('public lists of labels', () => {
  // Longer ones are read by public-lists.long.test.ts.
  testEveryRow((rows) => rows < 1_000);

  test.for([
    'labels/forta/1/malicious_smart_contracts.csv.gz',
    'labels/graphsense/packs/tornado_cash.yaml',
    'labels/defillama-cex/cex_wallets.csv.gz',
  ])('%s read in again brings nothing new', async (path) => {
    const known = new KnownLabels();
    const { outcomes } = await readPublicList(path, known);
    expect(outcomes.new).toBeGreaterThan(0);
    const again = await readPublicList(path, known);
    expect(again.outcomes).toEqual({ ...outcomes, new: undefined, known: outcomes.new });
  });

  test('vote accounts of validators and Solana addresses that lost their capital letters are refused', async () => {
    const labels = await readPublicList('labels/goalb-solana/sol_labels.csv', new KnownLabels());
    expect(labels.refusals.map(({ code }) => code)).toEqual(Array(9).fill('vote_account'));
    const tokens = await readPublicList(
      'labels/jup-tokens/src/partners/data/wormhole.csv.gz',
      new KnownLabels(),
    );
    expect(tokens.refusals.every(({ code }) => code === 'chain_not_served')).toBe(true);
  });
});
