import { expect, test } from 'vitest';
import { codeOf, DAY, NOBODY, NOW, openBilledApi } from '../../testing/open-billed-api.ts';

test('the account shows its plan, what is left, and its keys without what opens them', async () => {
  await using service = await openBilledApi();
  await service.follow();
  const response = await service.get('/billing/account');
  const text = await response.text();
  expect(text).not.toContain(service.key.slice(17));
  expect(JSON.parse(text)).toEqual({
    account_id: 'a',
    plan: 'free',
    plan_name: 'Free',
    cycle: 'monthly',
    analyses_left: 48,
    traces_left: 10,
    pack_credits: 0,
    period_end: '2026-06-10T12:00:00.000Z',
    paid_until: null,
    concurrency: { limit: 3, in_flight: 0 },
    keys: [
      {
        id: 'k',
        prefix: service.key.slice(0, 17),
        name: 'server',
        created_at: (NOW - DAY) / 1_000,
        last_used_at: NOW / 1_000,
        revoked_at: null,
      },
    ],
  });
});

test('usage has one row a UTC day, zero rows included, oldest first', async () => {
  await using service = await openBilledApi();
  await service.follow();
  service.pass(DAY);
  await service.follow();
  await service.follow();
  await service.follow(NOBODY);
  const usage = (await (await service.get('/billing/usage/7')).json()) as { usage: object[] };
  expect(usage).toMatchObject({ days: 7, from: '2026-05-05', to: '2026-05-11' });
  expect(usage.usage).toHaveLength(7);
  const year = (await (await service.get('/billing/usage/365')).json()) as { usage: object[] };
  expect(year.usage).toHaveLength(365);
  const empty = {
    analyses: 0,
    traces: 0,
    follows: 0,
    insiders: 0,
    victims: 0,
    failed: 0,
    analyses_charged: 0,
    traces_charged: 0,
    credits_charged: 0,
  };
  expect(usage.usage[0]).toEqual({ date: '2026-05-05', ...empty });
  expect(usage.usage[5]).toEqual({ date: '2026-05-10', ...empty, follows: 1, analyses_charged: 2 });
  expect(usage.usage[6]).toEqual({
    date: '2026-05-11',
    ...empty,
    follows: 2,
    failed: 1,
    analyses_charged: 4,
  });
});

test.each(['6', '366', '0', '-7', '7.5', '1e2', 'week'])('usage over %s days is 400', async (days) => {
  await using service = await openBilledApi();
  const response = await service.get(`/billing/usage/${days}`);
  expect(await codeOf(response)).toEqual({ status: 400, code: 'invalid_request' });
});
