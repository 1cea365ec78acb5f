import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadConfig } from '../../platform/config/config.ts';
import { chooseStore } from './choose-store.ts';
import { storeFolder } from './open-store.ts';

test('the generated world can be had beside block files and live chains in the same data folder', () => {
  const SPOOR_DATA = mkdtempSync(join(tmpdir(), 'spoor-stores-'));
  const chosen = (env: Readonly<Record<string, string>>) => chooseStore(loadConfig({ SPOOR_DATA, ...env }));
  try {
    expect(chosen({})).toBe('world-1');
    mkdirSync(storeFolder(SPOOR_DATA, 'chain'), { recursive: true });
    expect(chosen({})).toBe('chain');
    expect(chosen({ SPOOR_DEMO: '1' })).toBe('world-1');
    const live = { SPOOR_CHAINS: 'solana=https://rpc.example', SPOOR_WORLD_SEED: '7' };
    expect(chosen(live)).toBe('chain');
    expect(chosen({ ...live, SPOOR_DEMO: '1' })).toBe('world-7');
  } finally {
    rmSync(SPOOR_DATA, { recursive: true });
  }
});
