import { setTimeout as sleep } from 'node:timers/promises';
import { ReadFailedError } from '../../investigate/model/transfer-reader.ts';
import type { Anchor } from './anchor.ts';
import type { Journal } from './journal.ts';
import type { KeptResult, Result, Tracer } from './result.ts';

/** A short failure of an engine does not end a long run. */
const AGAIN_AFTER_MS = [1_000, 5_000, 20_000] as const;

/** Traces the remaining anchors wave by wave, and stores each wave before the next begins. */
export const traceWaves = async (
  anchors: AsyncIterable<Anchor>,
  { journal, tracer, signal }: { journal: Journal; tracer: Tracer; signal: AbortSignal },
  onWave: (results: readonly KeptResult[]) => void,
): Promise<void> => {
  let wave: Anchor[] = [];
  const trace = async (): Promise<void> => {
    const results = await traceAgain(tracer, wave, signal);
    const kept = wave.map(({ at, place, body }, index) => ({
      ...{ at, place, body },
      ...(results[index] as Result),
    }));
    journal.append(kept);
    onWave(kept);
    wave = [];
  };
  for await (const anchor of anchors) {
    if (anchor.place < journal.done) continue;
    wave.push(anchor);
    if (wave.length >= tracer.waveSize()) await trace();
    signal.throwIfAborted();
  }
  if (wave.length > 0) await trace();
};

const traceAgain = async (
  tracer: Tracer,
  wave: readonly Anchor[],
  signal: AbortSignal,
): Promise<readonly Result[]> => {
  for (const waitMs of AGAIN_AFTER_MS) {
    try {
      return await tracer.trace(wave, signal);
    } catch (error) {
      if (signal.aborted || !(error instanceof ReadFailedError)) throw error;
      if (error.code === 'timeout') return traceHalves(tracer, wave, signal);
      await sleep(waitMs, undefined, { signal });
    }
  }
  return tracer.trace(wave, signal);
};

/** An anchor that takes too long even alone must not end this run, nor every later one. */
const traceHalves = async (
  tracer: Tracer,
  wave: readonly Anchor[],
  signal: AbortSignal,
): Promise<readonly Result[]> => {
  if (wave.length === 1) return [TOOK_TOO_LONG];
  const half = Math.ceil(wave.length / 2);
  const earlier = await traceAgain(tracer, wave.slice(0, half), signal);
  return [...earlier, ...(await traceAgain(tracer, wave.slice(half), signal))];
};

const TOOK_TOO_LONG: Result = {
  refused: { code: 'timeout', field: '', message: 'The answer took too long.' },
};
