import { expect, test } from 'vitest';
import type { JobDesk, ShownResult } from '../../retrace/job-desk.ts';
import { openBilledApi } from '../../testing/open-billed-api.ts';

const shown = {
  ...{ run: 1, atUnixMs: 0, place: 0, anchor: { wallet: '=w', counterparty: 'c', signature: 's' } },
  refused: { code: 'nothing_to_trace', field: '', message: '' },
} as ShownResult;

/**
 * A job of one result, whose second page cannot be read. The route of the file calls these two methods only, so the
 * cast leaves out the others.
 */
const desk = {
  find: () => ({ id: 'j', accountId: 'a' }),
  results: async (_: unknown, { told }: { told: number }) => {
    if (told > 0) throw new Error('page is kept no longer');
    return { items: [shown], next: { told: 1, item: 0 } };
  },
} as unknown as JobDesk;

test('a file that cannot be read to its end is broken off, and does not look whole', async () => {
  await using service = await openBilledApi({ desk });
  const headers = { ...service.bearer, 'accept-encoding': 'identity' };
  const response = await service.get('/retrace/j/results.csv', headers);
  expect(response.status).toBe(200);
  await expect(response.text()).rejects.toThrow();
  // Compressed, nothing of a file that breaks off this early has left.
  const packed = { ...service.bearer, 'accept-encoding': 'gzip' };
  const readPacked = async () => (await service.get('/retrace/j/results.csv', packed)).text();
  await expect(readPacked()).rejects.toThrow();
});
