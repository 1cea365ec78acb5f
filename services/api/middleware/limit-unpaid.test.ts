import { expect, test } from 'vitest';
import { createMemoryReader } from '../../testing/memory-reader.ts';
import { ANN, openBilledApi, story } from '../../testing/open-billed-api.ts';
import { startApi } from '../../testing/start-api.ts';

const BODY = { address: ANN, chain: 'ethereum' };
const OTHER_MACHINE = { 'x-forwarded-for': '203.0.113.7' };

/** How many of so many answers had which status. */
const count = async (times: number, ask: () => Promise<Response>): Promise<Record<number, number>> => {
  const counts: Record<number, number> = {};
  for (let i = 0; i < times; i += 1) {
    const { status } = await ask();
    counts[status] = (counts[status] ?? 0) + 1;
  }
  return counts;
};

test('where nobody has to pay other machines are answered so often and no more, and this one as often as it likes', async () => {
  await using api = await startApi();
  expect(await count(40, () => api.post('/follow', BODY, OTHER_MACHINE))).toEqual({ 200: 30, 429: 10 });
  expect(await count(200, () => api.post('/follow', BODY))).toEqual({ 200: 200 });
});

test('where nobody has to pay two calls of another machine are worked on at once, and eight of all of them', async () => {
  const go = Promise.withResolvers<void>();
  let working = 0;
  const memory = createMemoryReader(story);
  const assetsSent: typeof memory.assetsSent = async (request) => {
    working += 1;
    await go.promise;
    return memory.assetsSent(request);
  };
  await using api = await startApi({ reader: { ...memory, assetsSent } });
  const calls = Array.from({ length: 30 }, (_, i) =>
    api.post('/follow', BODY, { 'x-forwarded-for': `203.0.113.${Math.floor(i / 3)}` }),
  );
  const refused: Response[] = [];
  for (const call of calls) void call.then((answer) => answer.status === 429 && refused.push(answer));
  await expect.poll(() => refused.length).toBe(22);
  expect(working).toBe(8);
  expect(refused.every(({ headers }) => Number(headers.get('retry-after')) > 0)).toBe(true);
  go.resolve();
  await Promise.all(calls);
});

test('wrong keys are refused so often and then told to wait, while a right one from the same address is answered', async () => {
  await using service = await openBilledApi();
  const wrong = { authorization: 'Bearer spoor_live_x' };
  expect(await count(130, () => service.follow(ANN, wrong))).toEqual({ 401: 120, 429: 10 });
  expect((await service.follow()).status).toBe(200);
});
