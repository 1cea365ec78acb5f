import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { writeBlockFiles } from '../../demo-world/write-block-files.ts';
import { describeKilledReplay } from './replay.fault.ts';

const blockFolder = mkdtempSync(join(tmpdir(), 'spoor-blocks-'));
beforeAll(() => {
  writeBlockFiles(blockFolder, { seed: 5, people: 30, days: 1, blockSeconds: 600 });
});
afterAll(() => rmSync(blockFolder, { recursive: true, force: true }));

describeKilledReplay('on generated blocks', { blocks: () => [blockFolder], seed: 1, killsMax: 1 });
