import { afterAll, beforeAll, expect, test } from 'vitest';
import { createWorld } from '../../../demo-world/create-world.ts';
import { type ServedWorld, serveWorld } from '../../../demo-world/rpc/serve-world.ts';
import { readSolanaTables, startPortal } from '../../../testing/nodes/portal-over-blocks.ts';
import { readAddress } from '../../../testing/nodes/read-address.ts';
import { openSolanaNode } from '../solana-node/open-solana-node.ts';
import { createSqdPortalSource } from './sqd-portal-source.ts';

const world = createWorld({ seed: 3, people: 12, days: 1, blockSeconds: 1_800 });
const range = world.range.solana ?? { first: 0, last: 0 };
let served: ServedWorld;
beforeAll(async () => {
  served = await serveWorld(world);
});
afterAll(() => served.close());

const ask = async (method: string, ...params: unknown[]): Promise<unknown> => {
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const response = await fetch(`${served.url}/solana`, { method: 'POST', headers, body });
  return ((await response.json()) as { result?: unknown }).result;
};

/** Owners of tokens, of whom some are busy and some are not. */
const ownersIn = (tables: Awaited<ReturnType<typeof readSolanaTables>>): string[] => {
  const rows = [...tables.values()].flatMap(({ tokenBalances = [] }) => tokenBalances);
  return [...new Set(rows.flatMap(({ fields }) => fields.postOwner ?? []))].slice(0, 4);
};

test('what the node lists of a Solana wallet the portal lists as well, in and out, by slot', async () => {
  const tables = await readSolanaTables(ask, range);
  const wallets = ownersIn(tables);
  expect(wallets).toHaveLength(4);
  const { url } = await startPortal(tables);
  const opened = openSolanaNode({ chain: 'solana', url: `${served.url}/solana` });
  const limits = { perSecond: 1_000 };
  const portal = createSqdPortalSource({ family: 'solana', url, key: '', limits });
  for (const address of wallets) {
    const asked = { address, first: range.first, order: 'oldest' } as const;
    const byNode = await readAddress(opened, asked);
    const byPortal = await readAddress({ ...opened, source: portal }, asked);
    const hashes = ({ blocks }: typeof byNode) =>
      blocks.flatMap(({ transactions }) => transactions.map(({ hash }) => hash));
    expect(hashes(byNode).length).toBeGreaterThan(0);
    expect(new Set(hashes(byPortal))).toEqual(new Set(hashes(byNode)));
    expect(new Set(byPortal.windows.map(({ source }) => source))).toEqual(new Set(['sqd-portal']));
  }
});
