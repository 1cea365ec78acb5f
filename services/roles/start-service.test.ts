import { expect, test } from 'vitest';
import { PATIENCE } from '../testing/patience.ts';
import { PROGRAMS, startProgram } from '../testing/run-program.ts';
import { listeningAt, startOf, stopProgram } from '../testing/service/running-service.ts';
import { temporaryFolder } from '../testing/temporary-folder.ts';

const TIMEOUT_MS = 60_000;

test.each(['api', 'sink'])(
  'while nobody listens where the tables of the role %s should be, it says so, keeps the address to itself, and stops in order',
  { timeout: TIMEOUT_MS },
  async (role) => {
    const program = startProgram(PROGRAMS.cli, ['start', role], {
      SPOOR_DATA: temporaryFolder(),
      SPOOR_PORT: '0',
      CLICKHOUSE_URL: 'http://someone:a-password@127.0.0.1:1',
    });
    const url = await listeningAt(program);
    const truth = {
      ...{ status: 503, ready: 503, live: 200, follow: 503, retryAfter: '10' },
      components: { event_log: 'ok', warehouse: 'down' },
      waitingFor: ['warehouse'],
    };
    await expect.poll(() => startOf(url), PATIENCE).toMatchObject(truth);
    const { text } = await startOf(url);
    expect(text).not.toMatch(/127\.0\.0\.1|a-password/);
    expect(program.stdout()).toBe('');
    await stopProgram(program);
  },
);
