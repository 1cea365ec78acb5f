import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { writeBlockFiles } from '../../demo-world/write-block-files.ts';
import { describeWithSharedData, sharedData } from '../../testing/shared-data.ts';
import { describeKilledReplay } from './replay.fault.ts';

const blockFolder = mkdtempSync(join(tmpdir(), 'spoor-blocks-'));
beforeAll(() => {
  writeBlockFiles(blockFolder, { seed: 5, people: 60, days: 2, blockSeconds: 600 });
});
afterAll(() => rmSync(blockFolder, { recursive: true, force: true }));

describeKilledReplay('on generated blocks', { blocks: () => [blockFolder], seed: 1, killsMax: 3 });
describeWithSharedData('on real blocks', () => {
  const blocks = () => [sharedData('solana/blocks'), sharedData('evm')];
  describeKilledReplay('of both families', { blocks, seed: 2, killsMax: 3 });
});
