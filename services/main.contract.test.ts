import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PROGRAMS, runProgram } from './testing/run-program.ts';
import { temporaryFolder } from './testing/temporary-folder.ts';

test('a wrong configuration names each variable, starts nothing and ends with 1', async () => {
  const { code, stdout, stderr } = await runProgram(PROGRAMS.server, [], {
    SPOOR_DATA: join(temporaryFolder(), 'none'),
    SPOOR_PORT: 'http',
    SPOOR_WORLD_SEED: '-1',
    SPOOR_LOG_LEVEL: 'loud',
    SPOOR_CHAINS: 'nowhere=http://127.0.0.1:1',
    SPOOR_SINK_BATCH_BYTES: '1 GB',
    SPOOR_PROT: '8402',
    CLICKHOUSE_URL: 'tcp://127.0.0.1:9000',
  });
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  for (const name of [
    'SPOOR_PORT:',
    'SPOOR_WORLD_SEED:',
    'SPOOR_LOG_LEVEL:',
    'SPOOR_CHAINS:',
    'SPOOR_SINK_BATCH_BYTES:',
    'SPOOR_PROT:',
    'CLICKHOUSE_URL:',
  ])
    expect(stderr).toContain(name);
  expect(stderr).not.toMatch(/^\s+at /m);
});

test('a folder that cannot be made and a port that is taken end the start under the name of their variable', async () => {
  const nowhere = await runProgram(PROGRAMS.server, [], { SPOOR_DATA: '/dev/null/data', SPOOR_PORT: '0' });
  expect(nowhere).toMatchObject({ code: 1, stdout: '' });
  expect(nowhere.stderr).toMatch(/^ {2}SPOOR_DATA: ENOTDIR/m);
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const taken = await runProgram(PROGRAMS.server, [], {
    SPOOR_DATA: temporaryFolder(),
    SPOOR_PORT: `${port}`,
  });
  expect(taken).toMatchObject({ code: 1, stdout: '' });
  expect(taken.stderr).toMatch(new RegExp(`^ {2}SPOOR_PORT: .*EADDRINUSE.*${port}`, 'm'));
  const operations = await runProgram(PROGRAMS.server, [], {
    SPOOR_DATA: temporaryFolder(),
    SPOOR_PORT: '0',
    SPOOR_OPERATIONS_PORT: `${port}`,
  });
  other.close();
  expect(operations).toMatchObject({ code: 1, stdout: '' });
  expect(operations.stderr).toMatch(new RegExp(`^ {2}SPOOR_OPERATIONS_PORT: .*EADDRINUSE.*${port}`, 'm'));
});

test.skipIf(!existsSync('/proc/self'))(
  'a folder below one in which nothing can be made is refused, and not looked for for ever',
  async () => {
    const env = { SPOOR_DATA: '/proc/none/data', SPOOR_PORT: '0' };
    const { code, stderr } = await runProgram(PROGRAMS.server, [], env);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^ {2}SPOOR_DATA: ENOENT/m);
  },
);
