import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ENTRY = join(import.meta.dirname, 'rpc-process.ts');

const start = async (folder: string): Promise<{ child: ChildProcess; url: string }> => {
  const options = ['--seed', '9', '--people', '6', '--days', '1', '--truth', folder];
  const child = spawn(process.execPath, [ENTRY, ...options], { stdio: ['ignore', 'pipe', 'inherit'] });
  const url = await new Promise<string>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`ended with ${code}`)));
    child.stdout?.on('data', (data: Buffer) => {
      const found = /^rpc (\S+)$/m.exec(data.toString('utf8'));
      if (found?.[1] !== undefined) resolve(found[1]);
    });
  });
  return { child, url };
};

const readAll = async (url: string): Promise<string> => {
  const post = async (path: string, method: string, params: unknown[]): Promise<string> =>
    (
      await fetch(`${url}${path}`, { method: 'POST', body: JSON.stringify({ id: 1, method, params }) })
    ).text();
  const hash = createHash('sha256');
  const { result: last } = JSON.parse(await post('/solana', 'getSlot', [])) as { result: number };
  const { result: first } = JSON.parse(await post('/solana', 'getFirstAvailableBlock', [])) as {
    result: number;
  };
  for (let slot = first; slot <= last; slot++) {
    hash.update(await post('/solana', 'getBlock', [slot, { maxSupportedTransactionVersion: 0 }]));
  }
  hash.update(await post('/ethereum', 'eth_getBlockByNumber', ['latest', true]));
  return hash.digest('hex');
};

test('two processes with the same seed serve the same bytes and write the same truth', async () => {
  const folders = [0, 1].map(() => mkdtempSync(join(tmpdir(), 'world-process-')));
  const worlds = await Promise.all(folders.map(start));
  try {
    const [one, other] = await Promise.all(worlds.map(({ url }) => readAll(url)));
    expect(one).toBe(other);
  } finally {
    await Promise.all(
      worlds.map(
        ({ child }) =>
          new Promise((resolve) => {
            child.once('exit', resolve);
            child.kill('SIGTERM');
          }),
      ),
    );
  }
  const [one, other] = folders.map((folder) => readFileSync(join(folder, 'truth.jsonl'), 'utf8'));
  expect(one).toBe(other);
  expect(one?.split('\n').length).toBeGreaterThan(50);
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});
