import { expect, test } from 'vitest';
import { PROGRAMS, startProgram } from '../testing/run-program.ts';
import { temporaryFolder } from '../testing/temporary-folder.ts';

test.each([
  [['doctor']],
  [['rebuild']],
  [['keys', 'list', 'acme']],
  [['labels', 'import', 'csv', import.meta.filename]],
])('%j says that brokers are away while it waits for them, and ends at an interrupt', async (args) => {
  const command = startProgram(PROGRAMS.cli, args, {
    ...{ KAFKA_BROKERS: '127.0.0.1:1', SCHEMA_REGISTRY_URL: 'http://127.0.0.1:1' },
    ...{ SPOOR_DATA: temporaryFolder(), SPOOR_CHAINS: 'base=http://127.0.0.1:1' },
  });
  await command.printed(/^trying again: the brokers are out of reach/m);
  command.process.kill('SIGINT');
  expect(await command.ended).toEqual({ code: 130, signal: null });
});
