import { expect, test } from 'vitest';
import type { StartPart, StartWait } from '../../api/status/status-probes.ts';
import { loadConfig } from '../../platform/config/config.ts';
import { createStartProbes } from './start-probes.ts';

/** What a process with every role, of which nothing is open, says of its engines while it waits for these parts. */
const saysOf = async (...waits: (readonly [StartPart, isAway: boolean])[]) => {
  const waiting = waits.map(([part, isAway]): StartWait => ({ part, isAway, sinceUnixMs: 0 }));
  const service = { config: loadConfig({}), runs: () => true, waits: () => waiting };
  const probes = createStartProbes(service, { log: null, warehouse: null });
  return { eventLog: await probes.eventLog(), warehouse: await probes.warehouse() };
};

test('a part is down once it was asked and did not answer, and until then it starts; nothing is said of the others', async () => {
  const starting = { eventLog: 'starting', warehouse: 'starting' };
  expect(await saysOf()).toEqual(starting);
  expect(await saysOf(['event_log', false], ['warehouse', false])).toEqual(starting);
  expect(await saysOf(['event_log', true])).toEqual({ ...starting, eventLog: 'down' });
  expect(await saysOf(['schema_registry', true])).toEqual({ ...starting, eventLog: 'down' });
  expect(await saysOf(['warehouse', true], ['event_log', false])).toEqual({ ...starting, warehouse: 'down' });
});
