import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createWorld, type WorldOptions } from './create-world.ts';

/** Writes the world's blocks as files for `spoor replay`: Solana blocks by slot, a folder per EVM block. */
export const writeBlockFiles = (folder: string, options: WorldOptions): { blocks: number } => {
  let blocks = 0;
  for (const block of createWorld(options).blocks()) {
    blocks += 1;
    const parts: readonly (readonly [string, unknown])[] =
      block.family === 'solana'
        ? [[`${block.number}.json`, block.result]]
        : [
            [`${block.number}/block.json`, block.block],
            [`${block.number}/receipts.json`, block.receipts],
            [`${block.number}/traces.json`, block.traces],
          ];
    for (const [name, value] of parts) {
      const path = join(folder, block.chain, name);
      mkdirSync(join(path, '..'), { recursive: true });
      writeFileSync(path, JSON.stringify(value));
    }
  }
  return { blocks };
};
