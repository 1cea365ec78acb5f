import { expect, test } from 'vitest';
import { ReadFailedError } from '../../investigate/model/transfer-reader.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import type { Anchor } from './anchor.ts';
import { openJournal } from './journal.ts';
import type { KeptResult, Tracer } from './result.ts';
import { traceWaves } from './trace-waves.ts';

test('an anchor that takes too long is refused, and those that were asked with it are traced', async () => {
  const journal = await openJournal(`${temporaryFolder()}/run`, { run: 'r', input: 'i', options: 'o' });
  async function* anchors() {
    for (let place = 0; place < 20; place++)
      yield { at: `line ${place}`, place, body: { signature: `s${place}` } } as Anchor;
  }
  const tracer: Tracer = {
    waveSize: () => 16,
    trace: async (wave) => {
      if (wave.some(({ place }) => place === 7 || place === 19)) throw new ReadFailedError('timeout');
      return wave.map(({ at: code }) => ({ refused: { code, field: '', message: '' } }));
    },
    close: async () => {},
  };
  const kept: KeptResult[] = [];
  const { signal } = new AbortController();
  await traceWaves(anchors(), { journal, tracer, signal }, (results) => kept.push(...results));
  expect(kept.map((result) => 'refused' in result && result.refused.code)).toEqual(
    Array.from({ length: 20 }, (_, place) => (place === 7 || place === 19 ? 'timeout' : `line ${place}`)),
  );
});
