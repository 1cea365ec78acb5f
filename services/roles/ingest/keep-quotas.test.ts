import { expect, onTestFinished, test } from 'vitest';
import { openQuotaEvents, QUOTAS_USED } from '../../events/quota-events.ts';
import { rateOf } from '../../ingest/nodes/request-rate.ts';
import { createLogger } from '../../platform/logger.ts';
import { PATIENCE } from '../../testing/patience.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import { openStore } from '../store/open-store.ts';
import { keepQuotas } from './keep-quotas.ts';

const NEVER = new AbortController().signal;
const ASKED = { method: 'txlist', calls: 1, urgency: 'history' } as const;
const logger = createLogger({ level: 'silent' });

const open = async () => {
  const store = await openStore({ dataFolder: temporaryFolder(), name: 'chain', maxQueuedBytes: 1 << 20 });
  onTestFinished(() => store.close());
  const events = await openQuotaEvents(store.registry);
  const told = async () => {
    const [range] = await store.log.ranges(QUOTAS_USED);
    const records = range ? await store.log.read({ ...range, offset: range.begin, maxBytes: 1 << 20 }) : [];
    return records.map(({ value }) => events.decodeUsed(value));
  };
  return { store, events, told };
};

test('the log holds at least what was used of a day, in few records, and neither host nor key', async () => {
  const { store, told } = await open();
  const kept = await keepQuotas({ store, logger });
  const rate = rateOf('http://127.0.0.1:1/api?apikey=k0123456789abcdef', { perDay: 1_000 });
  for (let sent = 0; sent < 25; sent++) await rate.take(ASKED, NEVER);
  await kept.stop();
  const uses = await told();
  expect(uses.length).toBeLessThan(4);
  expect(uses.at(-1)?.calls).toBeGreaterThanOrEqual(25);
  expect(uses.at(-1)?.quota).toMatch(/^[0-9a-f]{32}$/);
});

test('a day that was used up before the start is used up, and another day is not', async () => {
  const { store, events, told } = await open();
  const first = await keepQuotas({ store, logger });
  const rate = rateOf('http://127.0.0.1:1/api?apikey=k1123456789abcdef', { perDay: 10 });
  await rate.take(ASKED, NEVER);
  await first.stop();
  const [use] = await told();
  if (!use) throw new Error('one was used');
  await store.log.append([events.used({ ...use, day: use.day - 1, calls: 10 })]);
  const second = await keepQuotas({ store, logger });
  await rate.take(ASKED, NEVER);
  await store.log.append([events.used({ ...use, calls: 10 })]);
  await expect.poll(() => rate.now().usedToday, PATIENCE).toBe(10);
  await expect(rate.take(ASKED, NEVER)).rejects.toMatchObject({ code: 'quota_used' });
  await second.stop();
});
