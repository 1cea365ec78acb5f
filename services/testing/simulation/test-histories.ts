import { expect, test } from 'vitest';
import { temporaryFolder } from '../temporary-folder.ts';
import { openCodecs } from './open-codecs.ts';
import { simulate } from './simulate.ts';

/** Far above what it takes. */
const TIMEOUT_MS = 480_000;

/** So many are simulated, the first of seed 1. */
export const testHistories = (seeds: number): void => {
  test(
    `${seeds} histories of crashes, partitions, lost and late messages keep every promise about credits and payments`,
    async () => {
      const codecs = await openCodecs(temporaryFolder());
      let [commands, crashes] = [0, 0];
      for (let seed = 1; seed <= seeds; seed++) {
        const result = await simulate(seed, { codecs });
        expect(result.problems, `seed ${seed}`).toEqual([]);
        commands += result.commands;
        crashes += result.crashes;
      }
      // Not because nothing happened.
      expect(commands / seeds).toBeGreaterThan(30);
      expect(crashes / seeds).toBeGreaterThan(0.3);
    },
    TIMEOUT_MS,
  );
};
