import { expect, onTestFinished, test } from 'vitest';
import { openJobDesk } from '../../retrace/job-desk.ts';
import type { JobEvent } from '../../retrace/job-events.ts';
import { NOW, openBilledApi } from '../../testing/open-billed-api.ts';
import { openJobEngine } from '../../testing/retrace/open-job-engine.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';

const ANCHOR = {
  ...{ chain: 'ethereum', wallet: `0x${'1'.repeat(40)}`, counterparty: `0x${'2'.repeat(40)}` },
  ...{ direction: 'out', signature: `0x${'a'.repeat(64)}` },
};

/** The API over a log in which nobody works on jobs. */
const open = async () => {
  const clock = { nowUnixMs: () => NOW };
  const { log, codec, close } = await openJobEngine({ folder: temporaryFolder(), kafka: null });
  const onError = (error: unknown): void => expect.unreachable(String(error));
  const desk = await openJobDesk({ log, codec, clock, onError });
  const service = await openBilledApi({ desk });
  onTestFinished(async () => {
    await service[Symbol.asyncDispose]();
    await desk.stop();
    await close();
  });
  const tell = (jobId: string, event: JobEvent) => {
    const value = codec.events.encode({ jobId, accountId: 'a', atUnixMs: NOW, event });
    return log.append([{ topic: 'retrace.jobs', key: jobId, value }]);
  };
  const asked = { type: 'JobAsked', keyId: 'k', requestHash: 'h', everySeconds: 0, pieces: [] } as const;
  return {
    desk,
    start: () => service.api.post('/retrace', { anchors: [ANCHOR] }, service.bearer),
    again: (id: string) => service.api.post(`/retrace/${id}/again`, {}, service.bearer),
    cancelled: async (jobId: string, anchors: number) => {
      await tell(jobId, { ...asked, anchors });
      await tell(jobId, { type: 'JobCancelled' });
    },
    ended: async (jobId: string) => {
      await tell(jobId, { ...asked, anchors: 1 });
      const place = { run: 1, first: 0 };
      const empty = { pieces: [], changes: [], priced: [], refused: 0, deadlineUnixMs: 0, ledgerOffset: 0 };
      await tell(jobId, { type: 'WaveTraced', ...place, count: 1, ...empty });
      await tell(jobId, { type: 'WaveCharged', ...place, charged: [] });
    },
  };
};

const codesOf = (responses: readonly Response[]): number[] => responses.map(({ status }) => status).sort();

test('of jobs that are asked for at once ten are taken', async () => {
  const service = await open();
  const answers = await Promise.all(Array.from({ length: 14 }, service.start));
  expect(codesOf(answers)).toEqual([...Array(10).fill(202), ...Array(4).fill(429)]);
});

test('ended jobs run again only while fewer than ten have not ended', async () => {
  const service = await open();
  const names = Array.from({ length: 12 }, (_, at) => `job ${at}`);
  for (const name of names) await service.ended(name);
  await expect.poll(() => names.every((name) => service.desk.find(name)?.runEndedUnixMs)).toBe(true);
  expect(codesOf(await Promise.all(names.map(service.again)))).toEqual([
    ...Array(10).fill(202),
    ...[429, 429],
  ]);
});

test('who cancels jobs and asks for new ones is stopped at a million anchors that nobody paid for', async () => {
  const service = await open();
  for (let at = 0; at < 99; at++) await service.cancelled(`job ${at}`, 10_000);
  await expect.poll(() => service.desk.find('job 98')?.isCancelled).toBe(true);
  expect((await service.start()).status).toBe(202);
  const response = await service.start();
  expect(response.status).toBe(429);
  expect(await response.json()).toMatchObject({
    code: 'too_many_jobs',
    error: expect.stringContaining('million'),
  });
});

test('who starts jobs too often is told when to come again, before a body is read', async () => {
  await using service = await openBilledApi();
  const send = () => service.api.post('/retrace', {}, service.bearer);
  for (let at = 0; at < 60; at++) expect((await send()).status).toBe(400);
  const response = await send();
  expect(response.status).toBe(429);
  expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
});
