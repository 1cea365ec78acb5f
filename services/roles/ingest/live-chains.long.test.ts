import { expect, onTestFinished, test } from 'vitest';
import { createWorld } from '../../demo-world/create-world.ts';
import { createRandom } from '../../demo-world/random.ts';
import { DISTURBANCES } from '../../demo-world/rpc/disturb.ts';
import { serveWorld } from '../../demo-world/rpc/serve-world.ts';
import { worldBlocks } from '../../demo-world/world-blocks.ts';
import { blockRecords } from '../../ingest/block-records.ts';
import { type Anvil, startAnvil } from '../../testing/evm/start-anvil.ts';
import { PATIENCE } from '../../testing/patience.ts';
import { runCommand } from '../../testing/run-command.ts';
import { PROGRAMS, type Program, startProgram } from '../../testing/run-program.ts';
import { metricsOf } from '../../testing/service/running-service.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import { openStore } from '../store/open-store.ts';

const DEAD = 'http://127.0.0.1:1/key-0123456789abcdef';
const TIMEOUT_MS = 180_000;

type Chain = {
  chain: string;
  head: number;
  indexed: number;
  trouble: string | null;
  traces: boolean | null;
  finality: string;
};

const start = async (dataFolder: string, chains: object) => {
  const env = { SPOOR_DATA: dataFolder, SPOOR_PORT: '0', SPOOR_CHAINS: JSON.stringify(chains) };
  const server = startProgram(PROGRAMS.server, [], env);
  const url = (await server.printed(/^ready (http:\/\/127\.0\.0\.1:\d+)$/m))[1] ?? '';
  return { server, url };
};

const stop = async (server: Program): Promise<void> => {
  server.process.kill('SIGTERM');
  expect(await server.ended, server.stderr()).toMatchObject({ code: 0 });
};

const statusText = async (url: string): Promise<string> => (await fetch(`${url}/status`)).text();

const chainOf = async (url: string, name: string): Promise<Chain | undefined> => {
  const { components } = JSON.parse(await statusText(url)) as { components: { chains: Chain[] } };
  return components.chains.find(({ chain }) => chain === name);
};

const untilAt = (url: string, name: string, number: number) =>
  expect
    .poll(() => chainOf(url, name), PATIENCE)
    .toMatchObject({ head: number, indexed: number, trouble: null });

/** Gives the number of the last block. */
const pay = async (node: Anvil, times: number): Promise<number> => {
  const [from, to] = await node.accounts();
  for (let i = 0; i < times; i++) await node.send({ from, to, value: 1n });
  return Number(await node.ask('eth_blockNumber'));
};

/** Blocks and gaps of each chain in the tables of a server that is stopped. */
const diagnose = async (dataFolder: string) => {
  const { stdout } = await runCommand(['doctor', '--json'], { SPOOR_DATA: dataFolder });
  const { chains } = JSON.parse(stdout) as {
    chains: { chain: string; blocks: number; first: number; last: number; gaps: number }[];
  };
  return new Map(chains.map((chain) => [chain.chain, chain]));
};

test(
  'several live chains are followed at once from nodes that fail; one that dies is named and the others go on; a restart resumes exactly',
  async () => {
    const [ethereum, base] = await Promise.all([startAnvil(), startAnvil()]);
    const world = createWorld({ seed: 5, people: 8, days: 1, blockSeconds: 1_800 });
    const random = createRandom(3);
    const disturb = () => (random.unit() < 0.2 ? random.pick(DISTURBANCES) : null);
    const served = await serveWorld(world, { disturb });
    const slots = world.range.solana ?? { first: 0, last: 0 };
    await pay(ethereum, 1);
    await pay(base, 1);
    const dataFolder = temporaryFolder();
    const chains = {
      solana: { urls: [`${served.url}/solana`, DEAD], websocket: null, start: slots.first },
      ethereum: { urls: [DEAD, ethereum.url], start: 1 },
      base: { urls: base.url, start: 1, commitment: 'latest' },
    };
    try {
      const { server, url } = await start(dataFolder, chains);
      await untilAt(url, 'solana', slots.last);
      await untilAt(url, 'ethereum', await pay(ethereum, 20));
      await untilAt(url, 'base', await pay(base, 3));
      expect(await chainOf(url, 'ethereum')).toMatchObject({ traces: true, finality: 'latest' });
      expect(await chainOf(url, 'solana')).toMatchObject({ traces: null, finality: 'finalized' });

      await base.stop();
      await untilAt(url, 'ethereum', await pay(ethereum, 2));
      await expect.poll(() => chainOf(url, 'base'), PATIENCE).toMatchObject({ trouble: 'unreachable' });
      expect(await statusText(url)).not.toMatch(/key-0123|127\.0\.0\.1/);
      await stop(server);
      expect(server.stdout() + server.stderr()).not.toContain('key-0123');

      const head = await pay(ethereum, 5);
      const again = await start(dataFolder, chains);
      await untilAt(again.url, 'ethereum', head);
      await stop(again.server);
      const found = await diagnose(dataFolder);
      expect(found.get('ethereum')).toMatchObject({ blocks: head, first: 1, last: head, gaps: 0 });
      expect(found.get('base')).toMatchObject({ blocks: 4, first: 1, last: 4, gaps: 0 });
      expect(found.get('solana')).toMatchObject({ first: slots.first, last: slots.last, gaps: 0 });
    } finally {
      await served.close();
    }
  },
  TIMEOUT_MS,
);

test('the process that holds the tables finds blocks that the log never got and has them filled again, whoever follows the chain', async () => {
  const options = { seed: 5, people: 8, days: 1, blockSeconds: 1_800 };
  const world = createWorld(options);
  const served = await serveWorld(world);
  onTestFinished(served.close);
  const dataFolder = temporaryFolder();
  const store = await openStore({ dataFolder, name: 'chain', maxQueuedBytes: 32 << 20 });
  const blocks = [...worldBlocks(options)].filter(({ chain }) => chain === 'solana');
  const got = blocks.filter((_, position) => position !== 5 && position !== 6);
  const at = { topic: 'transfers.head', partition: 0, key: 'solana' };
  await store.log.append(got.flatMap((block) => blockRecords(block, store.encodeBlock, at)));
  await store.close();

  const urls = [`${served.url}/solana`];
  const env = {
    SPOOR_DATA: dataFolder,
    SPOOR_PORT: '0',
    SPOOR_CHAINS: JSON.stringify({ solana: { urls, websocket: null } }),
  };
  const sink = startProgram(PROGRAMS.cli, ['start', 'sink'], env);
  const url = (await sink.printed(/^ready (http:\/\/127\.0\.0\.1:\d+)$/m))[1] ?? '';
  await expect.poll(() => chainOf(url, 'solana'), PATIENCE).toMatchObject({ gaps: 0 });
  await sink.printed(/gaps were filled from/);
  await expect.poll(() => metricsOf(sink), PATIENCE).toMatch(/^spoor_sink_lag_records 0$/m);
  await stop(sink);
  const found = await diagnose(dataFolder);
  expect(found.get('solana')).toMatchObject({ blocks: blocks.length, gaps: 0 });
});
