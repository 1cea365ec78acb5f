import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createWorld } from '../../demo-world/create-world.ts';
import { createKnownLabels } from '../../demo-world/known-labels.ts';
import { type ServedWorld, serveWorld } from '../../demo-world/rpc/serve-world.ts';
import type { TruthLine } from '../../demo-world/truth.ts';
import { runCommand } from '../../testing/run-command.ts';
import { PROGRAMS, type Program, startProgram } from '../../testing/run-program.ts';
import { urlOf } from '../../testing/service/running-service.ts';
import { startWorld, stopWorld } from '../../testing/service/served-world.ts';

const TIMEOUT_MS = 900_000;
/** World 1, as `npm start` serves it. */
const WORLD = { seed: 1, people: 300, days: 14 };
/** The first screen of the README. */
const START = {
  address: 'Dk79N92WanhK4n7CrYw38zoJspn9XNgLFQmsR3wEWojp',
  chain: 'solana',
  since: 1_756_799_060,
};

const folder = mkdtempSync(join(tmpdir(), 'spoor-any-wallet-'));
const truth: TruthLine[] = [];
let served: ServedWorld;
/** Over nodes, from their last block on: nothing is indexed. */
let bare: Program;
/** Over the same world with all of its blocks. */
let indexed: Program;
const urls = { bare: '', indexed: '' };

beforeAll(async () => {
  const known = createKnownLabels();
  const world = createWorld(WORLD, (line) => {
    known.note(line);
    truth.push(line);
  });
  served = await serveWorld(world);
  await served.complete();
  const chains = JSON.stringify({
    solana: { urls: [`${served.url}/solana`], websocket: null },
    ethereum: { urls: [`${served.url}/ethereum`] },
  });
  const env = { SPOOR_DATA: join(folder, 'bare'), SPOOR_PORT: '0', SPOOR_CHAINS: chains };
  const labels = await runCommand(['labels', 'import', 'csv', known.write(folder)], env);
  expect(labels, labels.stderr).toMatchObject({ code: 0 });
  bare = startProgram(PROGRAMS.server, [], env);
  urls.bare = await urlOf(bare);
  indexed = startWorld(join(folder, 'indexed'), { SPOOR_DERIVE_PERCENT: '1' });
  urls.indexed = await urlOf(indexed);
}, TIMEOUT_MS);
afterAll(async () => {
  for (const server of [bare, indexed]) await stopWorld(server);
  await served.close();
  rmSync(folder, { recursive: true, force: true });
}, TIMEOUT_MS);

const post = async (to: keyof typeof urls, path: string, body: object): Promise<unknown> => {
  const response = await fetch(urls[to] + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(response.status).toBe(200);
  return response.json();
};

/** One call to each. */
const askBoth = async <Answer>(path: string, body: object) => ({
  read: (await post('bare', path, body)) as Answer,
  known: (await post('indexed', path, body)) as Answer,
});

/**
 * Without what money was worth: prices are derived from indexed blocks. And without how far back an answer saw: what is
 * read of a wallet begins with its first transaction, the index with its first block.
 */
const unpriced = (answer: unknown): unknown =>
  JSON.parse(JSON.stringify(answer), (name, value) => (/usd|^seen_in$/.test(name) ? undefined : value));

type Trail = { hops: object[]; end: { reason: string; next: { body: object } }; continuation: string | null };
const told = ({ hops, end }: Trail) => unpriced({ hops, end });
type Trace = { window: { complete: boolean }; meta: unknown; continuation: string | null };
type Edge = { from: string; to: string; probability: number; transactions: object[] };

test(
  'the trail of the README and the trace of its note are the same from bare nodes, each in one call',
  async () => {
    const trail = await askBoth<Trail>('/follow', START);
    expect(told(trail.read)).toEqual(told(trail.known));
    expect(trail.read).toMatchObject({ end: { reason: 'mixer' }, continuation: null });

    const trace = await askBoth<Trace>('/trace', trail.read.end.next.body);
    const { meta: _, ...candidates } = trace.read;
    const { meta: __, ...same } = trace.known;
    expect(unpriced(candidates)).toEqual(unpriced(same));
    expect(trace.read.window.complete).toBe(true);
  },
  TIMEOUT_MS,
);

test(
  'its flow has every payment that the index knows of, as probable, and goes on only where a label is derived',
  async () => {
    const flow = await askBoth<{ edges: Edge[]; continuation: string | null }>('/follow', {
      ...START,
      graph: true,
    });
    const tell = ({ from, to, probability, transactions }: Edge) =>
      unpriced({ from, to, probability, transactions });
    expect(flow.read.continuation).toBeNull();
    expect(flow.read.edges.map(tell)).toEqual(expect.arrayContaining(flow.known.edges.map(tell)));
  },
  TIMEOUT_MS,
);

test(
  'who made a token and when it was launched is read from its chain in one call',
  async () => {
    const launch = truth.find((line) => line.type === 'launch' && line.chain === 'solana');
    const token = launch?.type === 'launch' ? launch.token : '';
    type Insiders = { creator: { address: string }; launch: object };
    const { read, known } = await askBoth<Insiders>('/insiders', { token, chain: 'solana' });
    expect(unpriced(read.launch)).toEqual(unpriced(known.launch));
    expect(read.creator.address).toBe(known.creator.address);
  },
  TIMEOUT_MS,
);

type TrailTruth = Extract<TruthLine, { type: 'trail' }>;
/** The longest trail of a theft on Ethereum that ends so. */
const theft = (reason: string): TrailTruth => {
  const thefts = truth.filter(
    (line) => line.type === 'trail' && line.chain === 'ethereum' && line.end.reason === reason,
  ) as TrailTruth[];
  const [longest] = thefts.toSorted((a, b) => b.hops.length - a.hops.length);
  if (longest === undefined) throw new Error(`no theft on Ethereum ends so: ${reason}`);
  return longest;
};
const startOf = ({ start: address, chain, since }: TrailTruth) => ({ address, chain, since });

test(
  'the trail of a theft on an EVM chain, and its flow are the same, each in one call',
  async () => {
    const stolen = startOf(theft('exchange'));
    const trail = await askBoth<Trail>('/follow', stolen);
    expect(told(trail.read)).toEqual(told(trail.known));
    expect(trail.read).toMatchObject({ end: { reason: 'exchange' }, continuation: null });

    type Flow = { nodes: object[]; edges: object[]; continuation: string | null };
    const flow = await askBoth<Flow>('/follow', { ...stolen, graph: true });
    const { nodes, edges } = flow.read;
    expect(unpriced({ nodes, edges })).toEqual(
      unpriced({ nodes: flow.known.nodes, edges: flow.known.edges }),
    );
    expect([edges.length > 0, flow.read.continuation]).toEqual([true, null]);
  },
  TIMEOUT_MS,
);

test(
  'the trace of a note of an EVM mixer that logs nothing is the same, in one call',
  async () => {
    const trail = await askBoth<Trail>('/follow', startOf(theft('mixer')));
    expect(told(trail.read)).toEqual(told(trail.known));
    const trace = await askBoth<Trace>('/trace', trail.read.end.next.body);
    const { meta: _, ...candidates } = trace.read;
    const { meta: __, ...same } = trace.known;
    expect(unpriced(candidates)).toEqual(unpriced(same));
    expect(trace.read).toMatchObject({ window: { complete: true }, continuation: null });
  },
  TIMEOUT_MS,
);

test(
  'a trail of 25 hops on an EVM chain is followed to its end in one call',
  async () => {
    const { read, known } = await askBoth<Trail>('/follow', startOf(theft('max_hops')));
    expect(read).toMatchObject({ end: { reason: 'max_hops' }, continuation: null });
    expect(read.hops).toHaveLength(25);
    expect(told(read)).toEqual(told(known));
  },
  TIMEOUT_MS,
);

type Named = { address: string };
/** Lists are sorted by dollars. */
const byAddress = <Each extends Named>(list: readonly Each[]): readonly Each[] =>
  list.toSorted((a, b) => (a.address < b.address ? -1 : 1));

test(
  'what a wallet on an EVM chain did, who paid it first and whom it dealt with are the same, in one call',
  async () => {
    const { start: address, chain } = theft('exchange');
    type Profile = { funding: object; activity: object; connections: Named[]; continuation: string | null };
    const { read, known } = await askBoth<Profile>('/analyze', { address, chain });
    const tell = ({ funding, activity, connections }: Profile) =>
      unpriced({ funding, activity, connections: byAddress(connections) });
    expect(tell(read)).toEqual(tell(known));
    expect([read.connections.length > 0, read.continuation]).toEqual([true, null]);
  },
  TIMEOUT_MS,
);

test(
  'the victims of thefts on an EVM chain and what they lost are the same without a price, each in one call',
  async () => {
    type Victims = { victims: (Named & { losses: object[] })[]; not_victims: Named[]; continuation: null };
    const thieves = truth.filter((line) => line.type === 'drainer' && line.chain === 'ethereum');
    expect(thieves.length).toBeGreaterThan(1);
    for (const { address, chain } of thieves as Extract<TruthLine, { type: 'drainer' }>[]) {
      const { read, known } = await askBoth<Victims>('/victims', { address, chain });
      const tell = ({ victims, not_victims }: Victims) =>
        unpriced({ victims: byAddress(victims), others: byAddress(not_victims) });
      expect(tell(read)).toEqual(tell(known));
      expect(read.continuation).toBeNull();
    }
  },
  TIMEOUT_MS,
);
