import { expect, test } from 'vitest';
import { move, tellStory } from '../../testing/chain-story.ts';
import { pagesOf, withDepartures } from '../../testing/flow-pages.ts';
import { createMemoryIdempotency } from '../../testing/memory/memory-idempotency.ts';
import { createMemoryReader } from '../../testing/memory-reader.ts';
import { ANN, codeOf, DAY, NOW, openBilledApi } from '../../testing/open-billed-api.ts';
import { PATIENCE } from '../../testing/patience.ts';

const BEA = '0xfb6916095ca1df60bb79ce92ce3ea74c37c5d359';
const CYD = '0xdbf03b407c01e7cd3cbea99509d93f8dddc8c6fb';
const FREE_ANALYSES = 50;
const FOLLOW_COST = 2;
const STORY = tellStory('ethereum', [
  { time: 1_000, moves: [move(ANN, BEA, 9n)] },
  { time: 1_100, moves: [move(BEA, CYD, 9n)] },
]);
const PLAN = { type: 'ChangePlan', id: 'b', plan: 'free', cycle: 'monthly', paidUntilUnixMs: null } as const;
const READ = { missing: 'nothing', readAtUnixSeconds: 3_000 } as const;

type Answer = {
  hops: object[];
  end: { reason: string; address: string };
  meta: { scope: string; missing: { address: string; seconds: number }[] };
  continuation: string | null;
};

/** Wallets before the first indexed block, which are known once they are in `read`. `held`: answers wait for it. */
const unread = ({ read = new Set([ANN]), held = Promise.resolve() } = {}) => {
  const memory = createMemoryReader(STORY, { indexedSince: 2_000 });
  let begun = 0;
  const reader = withDepartures(memory, async (request) => {
    begun += 1;
    await held;
    return pagesOf(memory)(request);
  });
  const overrides = {
    backfills: () => {
      const now = new Set(read);
      return {
        canBackfill: () => true,
        lastBackfill: (_: string, wallet: string) => (now.has(wallet) ? READ : null),
      };
    },
    askForWallet: async () => ({ withinSeconds: 12 }),
  };
  return { read, reader, overrides, begun: () => begun };
};

const open = async (world: ReturnType<typeof unread>) => {
  const { reader, overrides } = world;
  const service = await openBilledApi({ reader, overrides });
  const post = (body: object, headers: Readonly<Record<string, string>> = service.bearer) =>
    service.api.post('/follow', { address: ANN, chain: 'ethereum', since: 1_000, ...body }, headers);
  const ask = async (body: object = {}): Promise<Answer> => (await (await post(body)).json()) as Answer;
  const left = (account: 'a' | 'b' = 'a') => service.memory.balance(`account:${account}`).analysesLeft;
  return { ...service, post, ask, left };
};

test('a call whose time ends names what is missing with an estimate, and goes on with its continuation, charged once', async () => {
  const world = unread();
  await using service = await open(world);
  const first = await service.ask();
  expect(first).toMatchObject({ hops: [{}], end: { reason: 'no_data' }, meta: { scope: 'partial' } });
  expect(first.meta.missing).toMatchObject([{ address: first.end.address, seconds: 12 }]);
  expect(service.left()).toBe(FREE_ANALYSES - FOLLOW_COST);
  world.read.add(BEA);
  const second = await service.ask({ continuation: first.continuation });
  expect([second.hops.length, second.meta.missing[0]?.address.toLowerCase()]).toEqual([2, CYD]);
  world.read.add(CYD);
  const third = await service.ask({ continuation: second.continuation });
  expect(third).toMatchObject({ end: { reason: 'at_rest' }, meta: { missing: [] }, continuation: null });
  expect(service.left()).toBe(FREE_ANALYSES - FOLLOW_COST);
});

test('a call that found nothing costs nothing, and is charged once when its continuation answers', async () => {
  const world = unread({ read: new Set() });
  await using service = await open(world);
  const first = await service.ask();
  expect(first).toMatchObject({ hops: [], continuation: expect.any(String) });
  expect(service.left()).toBe(FREE_ANALYSES);
  world.read.add(ANN);
  const second = await service.ask({ continuation: first.continuation });
  expect(service.left()).toBe(FREE_ANALYSES - FOLLOW_COST);
  await service.ask({ continuation: second.continuation });
  expect(service.left()).toBe(FREE_ANALYSES - FOLLOW_COST);
});

test('a continuation goes on though no credits are left, as its call is paid', async () => {
  const world = unread();
  await using service = await open(world);
  const { continuation } = await service.ask();
  while (service.left() >= FOLLOW_COST) await service.ask();
  expect((await service.post({})).status).toBe(402);
  expect((await service.post({ continuation })).status).toBe(200);
});

test('of two continuations of one call at once, one goes on and the other is told so; nothing more is charged', async () => {
  const held = Promise.withResolvers<void>();
  const world = unread({ held: held.promise });
  await using service = await open(world);
  const asked = service.ask();
  held.resolve();
  const { continuation } = await asked;
  const again = Promise.withResolvers<void>();
  const slow = unread({ read: world.read, held: again.promise });
  world.overrides.backfills = slow.overrides.backfills;
  const [one, two] = await Promise.all([service.post({ continuation }), service.post({ continuation })]);
  again.resolve();
  const statuses = [one.status, two.status].toSorted();
  expect([
    [200, 200],
    [200, 409],
  ]).toContainEqual(statuses);
  expect(service.left()).toBe(FREE_ANALYSES - FOLLOW_COST);
});

test.each([
  ['somebody else sends', {}, 'other', 0, /somebody else/],
  ['another request has', { since: 1_050 }, 'own', 0, /not given for this request/],
  ['is older than a day', {}, 'own', DAY, /older than a day/],
] as const)('a continuation that %s is refused and charges nobody', async (_, body, who, passed, message) => {
  await using service = await open(unread());
  const { continuation } = await service.ask();
  service.pass(passed);
  await service.memory.submit('account:b', PLAN);
  const headers = who === 'own' ? service.bearer : { authorization: `Bearer ${service.keyOf('b')}` };
  const before = [service.left('a'), service.left('b')];
  const refused = await service.post({ continuation, ...body }, headers);
  expect(await refused.json()).toMatchObject({
    code: 'invalid_request',
    fields: [{ path: 'continuation', message: expect.stringMatching(message) }],
  });
  expect([service.left('a'), service.left('b')]).toEqual(before);
});

test('no continuation can be made up or changed', async () => {
  await using service = await open(unread());
  const { continuation } = await service.ask();
  const [told = '', seal = ''] = (continuation ?? '').split('.');
  const call = JSON.parse(Buffer.from(told, 'base64url').toString()) as object;
  const changed = (more: object) =>
    `${Buffer.from(JSON.stringify({ ...call, ...more })).toString('base64url')}.${seal}`;
  for (const text of [
    changed({ payer: 'account:b' }),
    changed({ untilUnixMs: 9e15 }),
    told,
    '',
    'x'.repeat(600),
  ])
    expect(await codeOf(await service.post({ continuation: text }))).toEqual({
      status: 400,
      code: 'invalid_request',
    });
});

test('a continuation that was not charged yet is charged once, though it is sent twice at once', async () => {
  const world = unread({ read: new Set() });
  const { reader, overrides } = world;
  const idempotency = createMemoryIdempotency(NOW);
  await using service = await openBilledApi({ reader, overrides, idempotency });
  const post = async (body: object) =>
    service.api.post('/follow', { address: ANN, chain: 'ethereum', since: 1_000, ...body }, service.bearer);
  const { continuation } = (await (await post({})).json()) as Answer;
  world.read.add(ANN);
  const left = () => service.memory.balance('account:a').analysesLeft;
  const answers = await Promise.all([post({ continuation }), post({ continuation })]);
  expect(answers.map(({ status }) => status)).toContain(200);
  await expect.poll(left, PATIENCE).toBe(FREE_ANALYSES - FOLLOW_COST);
  expect((await post({ continuation })).status).toBe(200);
  expect(left()).toBe(FREE_ANALYSES - FOLLOW_COST);
});
