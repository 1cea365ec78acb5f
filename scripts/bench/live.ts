import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectEmbeddedWarehouse } from '../../services/platform/warehouse-engine/embedded/start-embedded-warehouse.ts';
import { say } from './bench-store.ts';
import { type Bench, type Figure, toFigure } from './figure.ts';
import { type LiveNode, startLiveNode } from './live-node.ts';
import { numberOptions } from './number-options.ts';

const ROOT = resolve(import.meta.dirname, '../..');
/** Solana's own pace. */
const BLOCK_MS = 400;
const LOOK_MS = 20;
// The service starts with the first blocks waiting.
const LEFT_OUT = 25;

const run = async (argv: readonly string[]): Promise<Figure[]> => {
  const { seconds, transfers } = numberOptions(argv, { seconds: [60], transfers: [5_000] });
  const blocks = LEFT_OUT + Math.ceil((seconds * 1_000) / BLOCK_MS);
  const transfersPerBlock = Math.ceil((transfers * BLOCK_MS) / 1_000);
  const node = await startLiveNode({ blocks, transfersPerBlock, blockMs: BLOCK_MS });
  const folder = await mkdtemp(join(tmpdir(), 'spoor-bench-'));
  const service = startService(folder, node.url);
  try {
    await service.ready;
    const delays = await measure(folder, node, node.firstSlot + blocks - 1);
    const settled = delays.slice(LEFT_OUT).sort((a, b) => a - b);
    const at = (share: number) => settled[Math.floor((settled.length - 1) * share)] ?? Number.NaN;
    return [
      toFigure({ name: 'live.block_to_queryable_p50_ms', unit: 'ms' }, [at(0.5)]),
      toFigure({ name: 'live.block_to_queryable_p99_ms', unit: 'ms', atMost: 2_000 }, [at(0.99)]),
    ];
  } finally {
    await service.stop();
    await node.close();
    await rm(folder, { recursive: true, force: true });
  }
};

/** The service as users start it, following the node's head. */
const startService = (folder: string, url: string) => {
  const chains = JSON.stringify({ solana: { urls: [url], websocket: null } });
  const env = {
    ...process.env,
    SPOOR_DATA: folder,
    SPOOR_PORT: '0',
    SPOOR_CHAINS: chains,
    SPOOR_LOG_LEVEL: 'warn',
  };
  const child = spawn(process.execPath, ['services/main.ts'], {
    cwd: ROOT,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const ready = new Promise<void>((resolveReady, reject) => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      if (/^ready http/m.test(text)) resolveReady();
    });
    child.once('exit', (code) => reject(new Error(`the service ended with ${code}`)));
  });
  return {
    ready,
    stop: async (): Promise<void> => {
      child.kill('SIGTERM');
      await ended;
    },
  };
};

/** The delay from a block's availability to its answer from the tables, for each block but the last. */
const measure = async (folder: string, node: LiveNode, lastSlot: number): Promise<number[]> => {
  const warehouse = await connectEmbeddedWarehouse({ folder: join(folder, 'chain', 'warehouse') });
  const delays: number[] = [];
  let seen = node.firstSlot - 1;
  try {
    while (seen < lastSlot) {
      const answer = await warehouse.reader.query({
        query: "SELECT max(block_number) FROM transfers WHERE chain = 'solana'",
        format: 'JSONCompactEachRow',
      });
      const [row] = await answer.json<[string]>();
      const nowMs = performance.now();
      for (; seen < Number(row?.[0] ?? 0); seen += 1) {
        delays.push(nowMs - node.availableMs(seen + 1));
        if (delays.length % 25 === 0) say(`block ${delays.length}: ${Math.round(delays.at(-1) ?? 0)} ms`);
      }
      await sleep(LOOK_MS);
    }
    return delays;
  } finally {
    await warehouse.close();
  }
};

export const bench: Bench = { name: 'live', run };
