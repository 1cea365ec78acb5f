import type { Service, TraceReader } from '../investigate/model/trace-reader.ts';
import { move, tellStory } from './chain-story.ts';
import { createMemoryTraceReader } from './memory/memory-trace-reader.ts';

const T = 1_699_000_000;
export const NOW = 1_700_000_000;
const NOTE = 10n ** 18n;
export const ANN = `0x${'a'.repeat(40)}`;
export const BEA = `0x${'b'.repeat(40)}`;
const POOL = `0x${'1'.repeat(40)}`;
export const hash = (digit: string): string => `0x${digit.repeat(64)}`;
const blocks = tellStory('ethereum', [
  { time: T, hash: hash('a'), moves: [move(ANN, POOL, NOTE)] },
  { time: T + 900, hash: hash('c'), moves: [move(POOL, BEA, NOTE)] },
]);
const services = new Map<string, Service>([[POOL, { entity: 'Mix', kind: 'mixer' }]]);

/** A note that Ann paid into a mixer and Bea took out. */
export const readNote = (): TraceReader => createMemoryTraceReader(blocks, { services });

/** Asks who took it out. */
export const askForNote = {
  ...{ wallet: ANN, counterparty: POOL, signature: hash('a'), direction: 'out' },
  ...{ time: T, sol: 1, usd: 0, chain: 'ethereum' },
};

/** The same port, which notes in `asked` what it is asked for. */
export const notingReads = <T extends object>(port: T, asked: string[]): T =>
  new Proxy(port, {
    get: (of, name: keyof T & string) => {
      const read = of[name];
      if (typeof read !== 'function') return read;
      return (...request: unknown[]) => {
        asked.push(name);
        return read(...request);
      };
    },
  });
