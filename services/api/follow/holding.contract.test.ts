import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createWorld } from '../../demo-world/create-world.ts';
import { type ServedWorld, serveWorld } from '../../demo-world/rpc/serve-world.ts';
import type { TruthLine } from '../../demo-world/truth.ts';
import { worldBlocks } from '../../demo-world/world-blocks.ts';
import { createHoldingReader } from '../../ingest/wallets/ask-holding.ts';
import type { Label } from '../../investigate/model/label.ts';
import { createMemoryProfileReader } from '../../testing/memory/memory-profile-reader.ts';
import { createMemoryReader } from '../../testing/memory-reader.ts';
import { startApi } from '../../testing/start-api.ts';

const OPTIONS = { seed: 1, people: 10 };
const truth: TruthLine[] = [];
const blocks = [...worldBlocks(OPTIONS, (line) => truth.push(line))];
const world = createWorld(OPTIONS, () => {});
let served: ServedWorld;

beforeAll(async () => {
  served = await serveWorld(world);
  await served.complete();
  // The first question of a history makes the world read all of its own.
  const body = JSON.stringify({ id: 1, method: 'getBalance', params: ['11111111111111111111111111111111'] });
  await fetch(`${served.url}/solana`, { method: 'POST', body });
}, 60_000);
afterAll(() => served.close());

const labels = new Map(
  truth.flatMap((line) =>
    line.type === 'label' && line.known
      ? [[line.address, { name: line.name, kind: line.kind } as Label] as const]
      : [],
  ),
);
const resting = truth.filter((line) => line.type === 'trail').filter(({ end }) => end.reason === 'at_rest');

const follow = async (
  rpcUrls: readonly string[],
  { chain, start, asset, since }: (typeof resting)[number],
) => {
  // As of a history that does not begin with the chain: rows alone do not tell what a wallet holds.
  const reader = createMemoryReader(blocks, { labels, indexedSince: 0 });
  const holdings = createHoldingReader([{ name: chain, rpcUrls }]);
  await using api = await startApi({ reader, holdings, clock: { nowUnixMs: () => 1_800_000_000_000 } });
  const response = await api.post('/follow', { chain, address: start, asset, since });
  return (await response.json()) as { end: { address: string; holding_raw: string | null } };
};

test('what a wallet holds where rows do not tell it is what a node of its chain says, coin and token', async () => {
  const chains = new Set(resting.map(({ chain }) => chain));
  expect(chains).toEqual(new Set(['solana', 'ethereum']));
  for (const trail of resting) {
    const { end } = await follow([`${served.url}/${trail.chain}`], trail);
    const held = world.balance(trail.chain, trail.end.address, trail.asset);
    expect(end).toMatchObject({ reason: 'at_rest', holding_source: 'node', holding_raw: String(held) });
    expect(held).toBeGreaterThan(0n);
  }
});

test('a node that does not answer is passed over, and without any there is no holding', async () => {
  const [trail] = resting;
  if (trail === undefined) throw new Error('nothing rests');
  const dead = 'http://127.0.0.1:1';
  const { end } = await follow([dead, `${served.url}/${trail.chain}`], trail);
  expect(end).toMatchObject({ holding_source: 'node' });
  expect((await follow([dead], trail)).end).toMatchObject({ holding: null, holding_source: null });
});

test('a node that hangs up once is asked again', async () => {
  const [trail] = resting;
  if (trail === undefined) throw new Error('nothing rests');
  let asked = 0;
  const node = createServer(async (request, response) => {
    asked += 1;
    if (asked === 1) return request.socket.destroy();
    const answer = await fetch(`${served.url}/${trail.chain}`, { method: 'POST', body: await text(request) });
    return response.end(await answer.text());
  });
  await new Promise<void>((resolve) => node.listen(0, '127.0.0.1', resolve));
  try {
    const { port } = node.address() as AddressInfo;
    const { end } = await follow([`http://127.0.0.1:${port}`], trail);
    expect(end).toMatchObject({ holding_source: 'node' });
    expect(asked).toBeGreaterThan(1);
  } finally {
    node.close();
  }
});

test('the balances of a profile are what a node says, too, coin and token', async () => {
  const reader = createMemoryReader(blocks, { labels, indexedSince: 0 });
  const profileReader = createMemoryProfileReader(blocks, { indexedSince: 0 });
  for (const { chain, asset, end } of resting) {
    // The node of this test runs in this process: it cannot answer while the profile is computed.
    const holdings = createHoldingReader([{ name: chain, rpcUrls: [`${served.url}/${chain}`] }], 60_000);
    const clock = { nowUnixMs: () => 1_800_000_000_000 };
    await using api = await startApi({ reader, profileReader, holdings, clock });
    const response = await api.post('/analyze', { chain, address: end.address });
    const { balances } = (await response.json()) as { balances: readonly object[] };
    const held = world.balance(chain, end.address, asset);
    expect(balances).toContainEqual(expect.objectContaining({ amount_raw: String(held), source: 'node' }));
  }
});
