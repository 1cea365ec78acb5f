import { expect, test } from 'vitest';
import { describeOnEngines } from './testing/engines/describe-on-engines.ts';
import { isRunning, PROGRAMS, type Program, runProgram, startProgram } from './testing/run-program.ts';
import { temporaryFolder } from './testing/temporary-folder.ts';

const PATIENCE = { timeout: 60_000, interval: 200 };
const TIMEOUT_MS = 240_000;

type Chain = { chain: string; head: number | null; indexed: number | null };
type Status = { status: string; components: { event_log: string; warehouse: string; chains: Chain[] } };

const urlOf = async (program: Program): Promise<string> =>
  (await program.printed(/^ready (http:\/\/127\.0\.0\.1:\d+)$/m))[1] ?? '';

const statusOf = async (url: string): Promise<Status> =>
  (await (await fetch(`${url}/status`)).json()) as Status;

describeOnEngines('roles as processes of their own, on Kafka', ({ brokers, registryUrl }) => {
  let seed = Math.floor(Date.now() / 1_000);
  const stage = () => {
    seed += 1;
    const env = {
      KAFKA_BROKERS: brokers,
      SCHEMA_REGISTRY_URL: registryUrl,
      SPOOR_DATA: temporaryFolder(),
      SPOOR_PORT: '0',
      // A world of its own: its topics on the shared broker are nobody else's.
      SPOOR_WORLD_SEED: String(seed),
    };
    const start = (...roles: string[]): Program => startProgram(PROGRAMS.cli, ['start', ...roles], env);
    return { env, start };
  };

  const untilIndexed = (url: string, heads: ReadonlyMap<string, number>): Promise<void> =>
    expect
      .poll(async () => (await statusOf(url)).components.chains.map((c) => [c.chain, c.indexed]), PATIENCE)
      .toEqual([...heads]);

  /** Of a world, once each of its chains has been asked: they stand still. */
  const headsOf = async (url: string): Promise<Map<string, number>> => {
    const heads = new Map<string, number>();
    await expect
      .poll(async () => {
        for (const { chain, head } of (await statusOf(url)).components.chains)
          if (head !== null) heads.set(chain, head);
        return [...heads.keys()];
      }, PATIENCE)
      .toEqual(['solana', 'ethereum']);
    return heads;
  };

  test(
    'what one process reads from the chains, another stores and a third answers from',
    async () => {
      const { start } = stage();
      const ingest = start('ingest');
      const [sink, api] = [start('sink'), start('api')];
      const heads = await headsOf(await urlOf(ingest));
      const url = await urlOf(api);
      await untilIndexed(url, heads);
      const { components } = await statusOf(await urlOf(ingest));
      expect(components).toMatchObject({ event_log: 'ok', warehouse: 'off' });
      for (const program of [api, sink, ingest]) {
        program.process.kill('SIGTERM');
        expect(await program.ended, program.stderr()).toEqual({ code: 0, signal: null });
      }
    },
    TIMEOUT_MS,
  );

  test(
    'a sink that is killed while it stores is followed by one that stores every block once',
    async () => {
      const { start } = stage();
      const ingest = start('ingest');
      const first = start('sink');
      await urlOf(first);
      first.process.kill('SIGKILL');
      await first.ended;
      const heads = await headsOf(await urlOf(ingest));
      const second = start('sink', 'api');
      await untilIndexed(await urlOf(second), heads);
      expect(isRunning(ingest.pid)).toBe(true);
    },
    TIMEOUT_MS,
  );

  test('topics are applied once, and a second time nothing changes', async () => {
    const { env } = stage();
    const apply = () => runProgram(PROGRAMS.cli, ['topics', 'apply', '--json'], env);
    const actions = async () => {
      const { code, stdout, stderr } = await apply();
      expect(code, stderr).toBe(0);
      return new Set(
        stdout
          .trim()
          .split('\n')
          .map((line) => (JSON.parse(line) as { action: string }).action),
      );
    };
    expect(await actions()).toEqual(new Set(['created']));
    expect(await actions()).toEqual(new Set(['unchanged']));
  });
});
