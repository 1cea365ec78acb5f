import { expect, test } from 'vitest';
import type { TruthLine } from '../../services/demo-world/truth.ts';
import type { TransactionRow } from '../../services/investigate/model/transfer-reader.ts';
import { move, type StoryStep, tellStory } from '../../services/testing/chain-story.ts';
import { pays, T, usdc } from '../../services/testing/victims-story.ts';
import { memoryReaders, type Readers } from '../answers/readers.ts';
import { askRoutes } from './ask-routes.ts';
import { compareRoutes } from './compare-routes.ts';

const TOKEN = `0x${'4'.repeat(40)}`;
const token = (from: string, to: string, authority: string | null = null) =>
  move(from, to, 90n, { asset: TOKEN, authority });
const THEFTS: readonly StoryStep[] = [
  pays(0, 'desk', 'ann', 900n),
  pays(1, 'ann', 'vault', 500n),
  { time: T + 2, by: 'ben', moves: [token('pool', 'ben')] },
  {
    ...{ time: T + 3, by: 'ben' },
    controls: [{ kind: 'approval', subject: TOKEN, holder: 'ben', party: 'kit', amountRaw: 90n }],
  },
  { time: T + 4, by: 'vault', moves: [token('ben', 'vault', 'kit')] },
  { time: T + 5, by: 'vault', moves: [token('vault', 'desk')] },
  pays(6, 'vault', 'desk', 500n),
  pays(7, 'cyd', 'mule', 70n),
  pays(8, 'mule', 'desk', 70n),
  // A little goes to the drainer, and what ends the trail is the sale of all the rest.
  pays(9, 'dot', 'vault', 50n),
  { time: T + 10, by: 'dot', moves: [usdc('dot', 'pool', 900n), token('pool', 'dot')] },
];
/** Lines of the truth have more fields than routes are asked by. */
const TRUTH = [
  { type: 'drainer', chain: 'ethereum', address: 'vault' },
  { type: 'trail', chain: 'ethereum', start: 'cyd', asset: usdc('a', 'b', 1n).asset, since: T },
] as unknown as readonly TruthLine[];
const readersOf = (steps: readonly StoryStep[]): Readers => ({
  ...memoryReaders(tellStory('ethereum', steps), {
    labels: new Map([['desk', { name: 'Desk', kind: 'exchange' as const }]]),
    services: new Map([['desk', { entity: 'Desk', kind: 'exchange' }]]),
  }),
});
const compare = async (readers: Readers) => compareRoutes(await askRoutes('ethereum', TRUTH, readers));

test('all routes name what was paid and what was taken by an allowance, with the same amounts and parties', async () => {
  const compared = await compare(readersOf(THEFTS));
  expect(compared.differences).toEqual([]);
  expect(compared.losses).toBe(3);
  expect(compared.payments).toBeGreaterThan(4);
  expect(compared.addresses).toBeGreaterThan(3);
});

test('a route that hides a loss, calls a party otherwise, or tells another amount or time differs', async () => {
  const { transfers, trace, ...others } = readersOf(THEFTS);
  const without: Readers['transfers'] = {
    ...transfers,
    flows: async (common, places, limits) => {
      const pages = await transfers.flows(common, places, limits);
      return pages.map((page) => ({
        ...page,
        rows: page.rows.filter(({ blockTime }) => blockTime !== T + 4),
      }));
    },
  };
  const hidden = await compare({ ...others, trace, transfers: without });
  expect(hidden.differences).toEqual(
    ['follow', 'unnamed', 'graph'].map((route) => expect.stringContaining(`which ${route} does not name`)),
  );
  const renamed: Readers['transfers'] = {
    ...transfers,
    labels: async (_, addresses) => addresses.map(() => null),
  };
  const unknown = await compare({ ...others, trace, transfers: renamed });
  expect(unknown.differences.join()).toContain('desk is: ');
  const told: Readers['trace'] = {
    ...trace,
    transaction: async (...asked) => {
      const change = (row: TransactionRow) => ({
        ...row,
        ...{ amountRaw: row.amountRaw + 1n, blockTime: row.blockTime + 1 },
      });
      const each = await trace.transaction(...asked);
      return each.map((read) => read && { ...read, rows: read.rows.map(change) });
    },
  };
  const changed = (await compare({ ...others, transfers, trace: told })).differences.join();
  expect(changed).toContain('amountRaw of ');
  expect(changed).toContain('timeUnixSeconds of ');
});
