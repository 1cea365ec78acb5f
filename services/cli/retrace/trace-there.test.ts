import { expect, test } from 'vitest';
import type { Trace, TraceBody } from '../../sdk/create-spoor.ts';
import { SpoorError } from '../../sdk/spoor-error.ts';
import type { Anchor } from './anchor.ts';
import { createTracerThere } from './trace-there.ts';

const { signal } = new AbortController();
const anchors = ['a', 'b', 'c'].map(
  (signature, place) => ({ at: `line ${place}`, place, body: { signature } }) as Anchor,
);
const askingFor = (signature: string, status: number, code: string) =>
  createTracerThere(
    {
      trace: async (body: TraceBody) => {
        if (body.signature === signature)
          throw new SpoorError(status, { code, error: 'no', request_id: 'r', fields: [] });
        // The tracer passes the answer on and reads nothing of it but the window.
        return { candidates: [], window: {} } as unknown as Trace;
      },
    },
    'run',
  );

test('an anchor that takes the server too long is refused, and does not end the run at each attempt', async () => {
  const results = await askingFor('b', 504, 'timeout').trace(anchors, signal);
  expect(results.map((result) => ('refused' in result ? result.refused.code : 'traced'))).toEqual([
    'traced',
    'timeout',
    'traced',
  ]);
});

test('a call that failed by no fault of its anchor ends the run', async () => {
  const asked = askingFor('b', 402, 'insufficient_credits').trace(anchors, signal);
  await expect(asked).rejects.toMatchObject({ code: 'insufficient_credits' });
});
