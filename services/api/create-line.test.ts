import { expect, test } from 'vitest';
import { ReadFailedError } from '../investigate/model/transfer-reader.ts';
import { createLine } from './create-line.ts';

test('who waits too long is refused, and its place goes to nobody', async () => {
  const line = createLine({ atOnceMax: 1, waitingMax: 10, eachMax: 10, waitMs: 20, sentence: 'Too many.' });
  const anyone = { kind: 'anyone', from: null } as const;
  const { signal } = new AbortController();
  const held = Promise.withResolvers<string>();
  const first = line(anyone, signal, () => held.promise);
  let hasBegun = false;
  const late = line(anyone, signal, async () => {
    hasBegun = true;
  });
  await expect(late).rejects.toMatchObject({ code: 'too_many_calls' });
  held.resolve('done');
  expect(await first).toBe('done');
  expect(hasBegun).toBe(false);
  expect(await line(anyone, signal, async () => 'next')).toBe('next');
});

test('whose task took too long, and so was free, waits as long before the next one; nobody else does', async () => {
  let nowMs = 0;
  const sentence = 'Too many.';
  const line = createLine({ atOnceMax: 2, waitingMax: 10, eachMax: 3, nowMs: () => nowMs, sentence });
  const [ann, bea] = [
    { kind: 'anyone', from: '192.0.2.1' } as const,
    { kind: 'anyone', from: '192.0.2.2' } as const,
  ];
  const { signal } = new AbortController();
  const fail = (code: 'timeout' | 'unavailable') => async () => {
    nowMs += 90_000;
    throw new ReadFailedError(code);
  };
  await expect(line(ann, signal, fail('timeout'))).rejects.toMatchObject({ code: 'timeout' });
  const next = line(ann, signal, async () => 'next');
  await expect(next).rejects.toMatchObject({ code: 'too_many_calls', headers: { 'Retry-After': '90' } });
  expect(await line(bea, signal, async () => 'done')).toBe('done');
  nowMs += 90_000;
  expect(await line(ann, signal, async () => 'done')).toBe('done');
  await expect(line(ann, signal, fail('unavailable'))).rejects.toMatchObject({ code: 'unavailable' });
  expect(await line(ann, signal, async () => 'done')).toBe('done');
});

test('whose task took too long although its caller has an answer already does not wait before the next one', async () => {
  let nowMs = 0;
  const sentence = 'Too many.';
  const line = createLine({ atOnceMax: 2, waitingMax: 10, eachMax: 3, nowMs: () => nowMs, sentence });
  const ann = { kind: 'anyone', from: '192.0.2.1' } as const;
  const { signal } = new AbortController();
  const late = async () => {
    nowMs += 90_000;
    throw new ReadFailedError('timeout');
  };
  await expect(line(ann, signal, late, { rests: false })).rejects.toMatchObject({ code: 'timeout' });
  expect(await line(ann, signal, async () => 'next')).toBe('next');
});
