import { request } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { Directory } from '../../accounts/directory.ts';
import { openIdempotencyCodec } from '../../accounts/idempotency-codec.ts';
import { startIdempotencyKeys } from '../../accounts/idempotency-keys.ts';
import { type Ledger, LedgerUnavailableError } from '../../credits/ledger.ts';
import type { TransferReader } from '../../investigate/model/transfer-reader.ts';
import { createAnswers } from '../../payments/book/answers.ts';
import { type Clock, systemClock } from '../../platform/clock.ts';
import { openStore } from '../../roles/store/open-store.ts';
import { move, tellStory } from '../../testing/chain-story.ts';
import { issueKey } from '../../testing/issue-key.ts';
import { createMemoryLedger } from '../../testing/memory/memory-ledger.ts';
import { createMemoryReader } from '../../testing/memory-reader.ts';
import { PATIENCE } from '../../testing/patience.ts';
import { startApi } from '../../testing/start-api.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';

const ANN = '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed';
const BEA = '0xfb6916095ca1df60bb79ce92ce3ea74c37c5d359';
const NOBODY = `0x${'9'.repeat(40)}`;
const STORY = tellStory('ethereum', [
  { time: 1_000, hash: '0xaa', moves: [move(ANN, BEA, 100n)] },
  { time: 2_000, hash: '0xbb', moves: [move(BEA, ANN, 50n)] },
]);
const ACCOUNTS = ['a', 'b'] as const;

/** What API processes share: a folder for their log, the ledger, and two accounts with 50 analyses and a key each. */
const openWorld = async () => {
  let aheadMs = 0;
  const clock: Clock = { nowUnixMs: () => systemClock.nowUnixMs() + aheadMs };
  const ledger = createMemoryLedger(clock);
  const directory = new Directory();
  const keys = { a: issueKey(directory), b: issueKey(directory, { accountId: 'b', keyId: 'l' }) };
  const plan = { type: 'ChangePlan', plan: 'free', cycle: 'monthly', paidUntilUnixMs: null } as const;
  for (const accountId of ACCOUNTS) await ledger.submit(`account:${accountId}`, { ...plan, id: accountId });
  const world = {
    folder: temporaryFolder(),
    clock,
    pass: (ms: number): void => {
      aheadMs += ms;
    },
    ledger,
    directory,
    keys,
    worked: 0,
    beforeWork: async (): Promise<void> => {},
    left: (account: 'a' | 'b' = 'a') => ledger.balance(`account:${account}`).analysesLeft,
  };
  return world;
};
type World = Awaited<ReturnType<typeof openWorld>>;

const open = async (world: World, submit: Ledger['submit'] = world.ledger.submit) => {
  const { folder, clock, ledger, directory, keys } = world;
  const { log, registry, close } = await openStore({
    dataFolder: folder,
    name: 'chain',
    maxQueuedBytes: 4 << 20,
  });
  const errors: unknown[] = [];
  const onError = (error: unknown): void => void errors.push(error);
  const codec = await openIdempotencyCodec(registry);
  const idempotencyKeys = await startIdempotencyKeys({ log, codec, clock, onError });
  const memory = createMemoryReader(STORY);
  const reader: TransferReader = {
    ...memory,
    // The first question of every trail, asked once.
    assetsSent: async (request) => {
      world.worked += 1;
      await world.beforeWork();
      return memory.assetsSent(request);
    },
  };
  const idempotency = { keys: idempotencyKeys, answers: createAnswers(log) };
  const billing = { ledger: { ...ledger, submit }, directory, isOpen: () => false, idempotency };
  const api = await startApi({ reader, clock, billing });
  const stop = async () => {
    await api.close({ graceMs: 0 });
    await idempotencyKeys.stop();
    await close();
  };
  onTestFinished(async () => {
    await stop();
    expect(errors).toEqual([]);
  });
  return {
    stop,
    outcomes: api.outcomes,
    /** The status of a call whose key comes in so many lines. */
    followWithLines: (lines: readonly string[]): Promise<number> => {
      const { promise, resolve } = Promise.withResolvers<number>();
      const headers = {
        'content-type': 'application/json',
        'x-api-key': keys.a,
        'idempotency-key': [...lines],
      };
      request(`${api.url}/follow`, { method: 'POST', headers }, (answer) => {
        answer.resume();
        resolve(answer.statusCode ?? 0);
      }).end(JSON.stringify({ address: ANN, chain: 'ethereum' }));
      return promise;
    },
    /** A client that leaves as soon as the signal says so. */
    followUntil: (signal: AbortSignal, idempotencyKey: string) =>
      fetch(`${api.url}/follow`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'x-api-key': keys.a,
          'idempotency-key': idempotencyKey,
        },
        body: JSON.stringify({ address: ANN, chain: 'ethereum' }),
        signal,
      }),
    follow: async (idempotencyKey: string, address = ANN, account: 'a' | 'b' = 'a') => {
      const headers = { 'x-api-key': keys[account], 'idempotency-key': idempotencyKey };
      const response = await api.post('/follow', { address, chain: 'ethereum' }, headers);
      const body = (await response.json()) as { code?: string; hops?: object[]; fields?: object[] };
      return { status: response.status, body, retryAfter: response.headers.get('retry-after') };
    },
  };
};

test('a call sent again gets the answer it got and is charged once: at once, by another process, and after a restart', async () => {
  const world = await openWorld();
  const [one, two] = [await open(world), await open(world)];
  const first = await one.follow('order-1');
  expect([first.status, first.body.hops?.length]).toEqual([200, 2]);
  expect(await one.follow('order-1')).toEqual(first);
  await expect.poll(() => two.follow('order-1'), PATIENCE).toEqual(first);
  await Promise.all([one.stop(), two.stop()]);
  expect(await (await open(world)).follow('order-1')).toEqual(first);
  expect([world.worked, world.left()]).toEqual([1, 48]);
});

test('with another body it is refused, whoever asks, and costs nothing; another account knows nothing of the key', async () => {
  const world = await openWorld();
  const api = await open(world);
  await api.follow('order-1');
  expect(await api.follow('order-1', BEA)).toMatchObject({
    status: 409,
    body: { code: 'idempotency_key_taken' },
  });
  expect(world.left()).toBe(48);
  expect((await api.follow('order-1', BEA, 'b')).status).toBe(200);
  expect([world.worked, world.left('b')]).toEqual([2, 48]);
});

test('sent many times at once to two processes the work is done and charged once, and the others are told to wait', async () => {
  const world = await openWorld();
  const apis = [await open(world), await open(world)];
  const gate = Promise.withResolvers<void>();
  world.beforeWork = () => gate.promise;
  const sent = [0, 1, 0, 1, 0, 1].map((each) => apis[each]?.follow('order-1'));
  await expect.poll(() => world.worked, PATIENCE).toBe(1);
  await expect
    .poll(() => apis[1]?.follow('order-1'), PATIENCE)
    .toMatchObject({ status: 409, body: { code: 'call_in_progress' }, retryAfter: '1' });
  gate.resolve();
  const statuses = (await Promise.all(sent)).map((response) => response?.status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(1);
  for (const api of apis)
    await expect.poll(async () => (await api.follow('order-1')).status, PATIENCE).toBe(200);
  expect([world.worked, world.left()]).toEqual([1, 48]);
});

test('a call that failed or was free leaves its key free, and its credits where they were', async () => {
  const world = await openWorld();
  const api = await open(world);
  world.beforeWork = () => Promise.reject(new Error('bug'));
  expect((await api.follow('order-1')).status).toBe(500);
  world.beforeWork = async () => {};
  expect(await api.follow('order-1', NOBODY)).toMatchObject({ status: 200, body: { hops: [] } });
  expect(world.left()).toBe(50);
  expect((await api.follow('order-1')).status).toBe(200);
  expect([world.worked, world.left()]).toEqual([3, 48]);
});

test('a process that ends between the answer and its charge leaves both to whoever is asked next', async () => {
  const world = await openWorld();
  const { promise: posting, resolve: isPosting } = Promise.withResolvers<void>();
  const dying = await open(world, (payer, command) => {
    if (command.type !== 'PostCall') return world.ledger.submit(payer, command);
    isPosting();
    return new Promise(() => {});
  });
  const other = await open(world);
  void dying.follow('order-1').catch(() => {});
  await posting;
  await expect.poll(async () => (await other.follow('order-1')).status, PATIENCE).toBe(200);
  expect([world.worked, world.left(), world.ledger.balance('account:a').openCalls]).toEqual([1, 48, 0]);
});

/** A process whose posts are carried out and never answered, until `fail`. */
const openUnanswered = async (world: World, beforeVoid: () => Promise<void> = async () => {}) => {
  const posting = Promise.withResolvers<void>();
  const unanswered = Promise.withResolvers<never>();
  const api = await open(world, async (payer, command) => {
    if (command.type === 'VoidCall') await beforeVoid();
    const answer = await world.ledger.submit(payer, command);
    if (command.type !== 'PostCall') return answer;
    posting.resolve();
    return unanswered.promise;
  });
  const response = api.follow('order-1');
  await posting.promise;
  const fail = async () => {
    unanswered.reject(new LedgerUnavailableError());
    return (await response).status;
  };
  return { ...api, fail };
};

test('an answer that another process has handed out stays charged for, though the first one takes its post back', async () => {
  const world = await openWorld();
  const first = await openUnanswered(world);
  const other = await open(world);
  await expect.poll(async () => (await other.follow('order-1')).status, PATIENCE).toBe(200);
  expect(await first.fail()).toBe(503);
  // Written behind whatever the first one wrote of the call.
  expect((await first.follow('order-2', NOBODY)).status).toBe(200);
  expect((await other.follow('order-1')).status).toBe(200);
  expect([world.worked, world.left()]).toEqual([2, 48]);
});

test('an answer whose charge is being taken back is handed out by nobody, and the call is free to be made again', async () => {
  const world = await openWorld();
  const gate = Promise.withResolvers<void>();
  const isVoiding = Promise.withResolvers<void>();
  const first = await openUnanswered(world, () => {
    isVoiding.resolve();
    return gate.promise;
  });
  const other = await open(world);
  expect(await first.fail()).toBe(503);
  await isVoiding.promise;
  await expect
    .poll(() => other.follow('order-1'), PATIENCE)
    .toMatchObject({ status: 409, body: { code: 'call_in_progress' } });
  await expect.poll(async () => (await other.follow('order-1')).status, PATIENCE).toBe(200);
  gate.resolve();
  expect((await first.follow('order-2', NOBODY)).status).toBe(200);
  expect([world.worked, world.left()]).toEqual([3, 48]);
});

test('an answer that was withdrawn is handed out by nobody once the ledger has forgotten its call: the call is made again, and charged', async () => {
  const world = await openWorld();
  const isVoiding = Promise.withResolvers<void>();
  // Its post does not come through, and it ends before its void does.
  const dying = await open(world, async (payer, command) => {
    if (command.type === 'PostCall') throw new LedgerUnavailableError();
    if (command.type !== 'VoidCall') return world.ledger.submit(payer, command);
    isVoiding.resolve();
    return new Promise(() => {});
  });
  const other = await open(world);
  expect((await dying.follow('order-1')).status).toBe(503);
  await isVoiding.promise;
  // Its reservation ends at its deadline, and is forgotten a minute later. Both come with whatever call is next.
  for (const [i, ms] of [121_000, 61_000].entries()) {
    world.pass(ms);
    expect((await other.follow(`free-${i}`, NOBODY)).status).toBe(200);
  }
  expect([world.worked, world.left()]).toEqual([3, 50]);
  await expect
    .poll(() => other.follow('order-1'), PATIENCE)
    .toMatchObject({ status: 409, body: { code: 'call_in_progress' } });
  await expect.poll(async () => (await other.follow('order-1')).status, PATIENCE).toBe(200);
  expect([world.worked, world.left()]).toEqual([4, 48]);
});

/** A process whose client leaves while its post is written; `end` lets the post be answered. */
const openLeft = async (world: World) => {
  const posted = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const client = new AbortController();
  const api = await open(world, async (payer, command) => {
    const answer = await world.ledger.submit(payer, command);
    if (command.type !== 'PostCall') return answer;
    posted.resolve();
    await gate.promise;
    return answer;
  });
  const lost = expect(api.followUntil(client.signal, 'order-1')).rejects.toThrow();
  await posted.promise;
  client.abort();
  await lost;
  await expect.poll(() => api.outcomes, PATIENCE).toMatchObject([{ status: 499 }]);
  return { ...api, end: gate.resolve };
};

test('a call whose client was gone before its answer is taken back with its answer, and is charged once when it comes again', async () => {
  const world = await openWorld();
  const api = await openLeft(world);
  expect(world.left()).toBe(48);
  api.end();
  await expect.poll(() => world.left(), PATIENCE).toBe(50);
  await expect.poll(async () => (await api.follow('order-1')).status, PATIENCE).toBe(200);
  expect([world.worked, world.left()]).toEqual([2, 48]);
});

test('a call whose client was gone stays charged where another process has handed its answer out meanwhile', async () => {
  const world = await openWorld();
  const api = await openLeft(world);
  const other = await open(world);
  await expect.poll(async () => (await other.follow('order-1')).status, PATIENCE).toBe(200);
  api.end();
  // Written behind whatever the first one wrote of the call.
  expect((await api.follow('order-2', NOBODY)).status).toBe(200);
  expect((await other.follow('order-1')).status).toBe(200);
  expect([world.worked, world.left()]).toEqual([2, 48]);
});

test('a key that comes twice is the same as once, and of two different ones none is taken', async () => {
  const world = await openWorld();
  const api = await open(world);
  expect(await api.followWithLines(['order-1', 'order-1'])).toBe(200);
  expect(await api.followWithLines(['order-1'])).toBe(200);
  expect(await api.followWithLines(['order-1', 'order-2'])).toBe(400);
  expect([world.worked, world.left()]).toEqual([1, 48]);
});

test.each([
  ['too long', 'x'.repeat(256)],
  ['empty', ''],
])('a key that is %s is refused by name before anything is done', async (_, key) => {
  const world = await openWorld();
  const api = await open(world);
  expect(await api.follow(key)).toMatchObject({
    status: 400,
    body: {
      error: expect.stringContaining('`Idempotency-Key` must be'),
      code: 'invalid_request',
      fields: [{ path: 'Idempotency-Key' }],
    },
  });
  expect([world.worked, world.left()]).toEqual([0, 50]);
});
