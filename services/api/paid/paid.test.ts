import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { createKey } from '../../accounts/key.ts';
import { VOIDS_MAX, VOIDS_WINDOW_MS } from '../../credits/decider/state.ts';
import { type Ledger, LedgerUnavailableError } from '../../credits/ledger.ts';
import { ReadFailedError } from '../../investigate/model/transfer-reader.ts';
import { pagesOf, withDepartures } from '../../testing/flow-pages.ts';
import { createMemoryReader } from '../../testing/memory-reader.ts';
import { ANN, codeOf, NOBODY, openBilledApi, story } from '../../testing/open-billed-api.ts';
import { PATIENCE } from '../../testing/patience.ts';
import { startApi } from '../../testing/start-api.ts';

const NONE = {
  plan: null,
  plan_name: null,
  cycle: null,
  analyses_left: null,
  traces_left: null,
  pack_credits: null,
  period_end: null,
  paid_until: null,
};

const creditsOf = (response: Response) => JSON.parse(response.headers.get('x-service-credits') ?? 'null');

describe('who may call', () => {
  test('while no account is open everybody may, the status says so, and the credits are all null', async () => {
    await using api = await startApi({ reader: createMemoryReader(story) });
    const response = await api.post('/follow', { address: ANN, chain: 'ethereum' });
    expect(response.status).toBe(200);
    expect(creditsOf(response)).toEqual(NONE);
    expect(await (await fetch(`${api.url}/status`)).json()).toMatchObject({ access: 'open' });
    const billing = await fetch(`${api.url}/billing/account`);
    expect(await codeOf(billing)).toEqual({ status: 401, code: 'unauthorized' });
  });

  test('a key is taken from either header', async () => {
    await using service = await openBilledApi();
    const { follow, key } = service;
    for (const headers of [
      { authorization: `Bearer ${key}` },
      { authorization: `bearer ${key}` },
      { 'x-api-key': key },
      { authorization: `Bearer ${key}`, 'x-api-key': key },
    ])
      expect((await follow(ANN, headers)).status).toBe(200);
  });

  test('no key, a wrong one, two different ones and another scheme are 401, with all credits null', async () => {
    await using service = await openBilledApi();
    const { follow, key, memory } = service;
    const before = memory.balance('account:a');
    for (const headers of [
      {},
      { authorization: `Bearer ${createKey()}` },
      { authorization: 'Bearer ' },
      { authorization: `Basic ${key}` },
      { 'x-api-key': key.toLowerCase() },
      { authorization: `Bearer ${key}`, 'x-api-key': createKey() },
    ]) {
      const response = await follow(ANN, headers as Record<string, string>);
      expect(creditsOf(response)).toEqual(NONE);
      expect(response.headers.get('www-authenticate')).toBe('Bearer');
      expect(await codeOf(response)).toEqual({ status: 401, code: 'unauthorized' });
    }
    expect(memory.balance('account:a')).toEqual(before);
  });

  test('of keys that are sent twice, each in its own header, none is taken unless they are one', async () => {
    await using service = await openBilledApi();
    const { api, key, memory } = service;
    const send = async (name: string, keys: string[]): Promise<number> => {
      const { promise, resolve } = Promise.withResolvers<number>();
      const headers = { 'content-type': 'application/json', [name]: keys };
      request(`${api.url}/follow`, { method: 'POST', headers }, (answer) => {
        answer.resume();
        resolve(answer.statusCode ?? 0);
      }).end(JSON.stringify({ address: ANN, chain: 'ethereum' }));
      return promise;
    };
    const other = createKey();
    const before = memory.balance('account:a');
    expect(await send('authorization', [`Bearer ${key}`, `Bearer ${other}`])).toBe(401);
    expect(await send('authorization', [`Bearer ${other}`, `Bearer ${key}`])).toBe(401);
    expect(await send('x-api-key', [key, other])).toBe(401);
    expect(memory.balance('account:a')).toEqual(before);
    expect(await send('authorization', [`Bearer ${key}`, `bearer ${key}`])).toBe(200);
  });

  test('a key that was revoked opens nothing from then on', async () => {
    await using service = await openBilledApi();
    expect((await service.follow()).status).toBe(200);
    service.revoke();
    expect((await service.follow()).status).toBe(401);
    expect((await service.get('/billing/account')).status).toBe(401);
  });

  test('a key that is revoked while the body of its request is on its way opens nothing', async () => {
    await using service = await openBilledApi();
    const body = JSON.stringify({ address: ANN, chain: 'ethereum' });
    const { hostname, port } = new URL(service.api.url);
    const socket = connect(Number(port), hostname);
    const answered = once(socket, 'data');
    socket.write(
      `POST /follow HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\nx-api-key: ${service.key}\r\n` +
        `content-length: ${body.length}\r\nexpect: 100-continue\r\n\r\n`,
    );
    // Its head was taken, and with it the key.
    expect(String((await answered)[0])).toMatch(/^HTTP\/1.1 100/);
    service.revoke();
    const [answer] = await Promise.all([once(socket, 'data'), socket.write(body)]);
    socket.destroy();
    expect(String(answer[0])).toMatch(/^HTTP\/1.1 401/);
    expect(String(answer[0])).toContain(`x-service-credits: ${JSON.stringify(NONE)}`);
    expect(service.memory.balance('account:a').analysesLeft).toBe(50);
  });

  test('while a revocation may be missing no key opens anything, and nobody is told that the key is wrong', async () => {
    await using service = await openBilledApi();
    service.loseSight();
    const response = await service.follow();
    expect(creditsOf(response)).toEqual(NONE);
    expect(await codeOf(response)).toEqual({ status: 503, code: 'unavailable' });
    expect((await service.get('/billing/account')).status).toBe(503);
  });

  test('a process that was asleep hears first what happened meanwhile, and then believes the key', async () => {
    await using service = await openBilledApi();
    for (const looks of [1, 3]) {
      service.loseSight(looks);
      expect((await service.follow()).status).toBe(200);
    }
  });

  test('what is wrong with the request is said before who asks it', async () => {
    await using service = await openBilledApi();
    expect((await service.follow('not an address', {})).status).toBe(400);
    expect((await service.api.post('/follow', '{', {})).status).toBe(400);
  });
});

describe('what a call costs', () => {
  test('/follow takes two analyses, and the answer says what is left', async () => {
    await using service = await openBilledApi();
    const response = await service.follow();
    expect(response.status).toBe(200);
    expect(creditsOf(response)).toEqual({
      plan: 'free',
      plan_name: 'Free',
      cycle: 'monthly',
      analyses_left: 48,
      traces_left: 10,
      pack_credits: 0,
      period_end: '2026-06-10T12:00:00.000Z',
      paid_until: null,
    });
  });

  test('a trail that fails on its first wallet costs nothing', async () => {
    await using service = await openBilledApi();
    const response = await service.follow(NOBODY);
    expect(await response.json()).toMatchObject({ hops: [], end: { reason: 'no_data' } });
    expect(creditsOf(response).analyses_left).toBe(50);
  });

  test.each([
    ['cannot read', new ReadFailedError('unavailable'), 503],
    ['takes too long', new ReadFailedError('timeout'), 504],
    ['breaks', new Error('bug'), 500],
  ])('work that %s costs nothing, and the failure says what is left', async (_, error, status) => {
    const reader = { ...createMemoryReader(story), flows: () => Promise.reject(error) };
    await using service = await openBilledApi({ reader });
    const response = await service.follow();
    expect(response.status).toBe(status);
    expect(creditsOf(response)).toMatchObject({ analyses_left: 50, plan: 'free' });
    expect(service.memory.balance('account:a').openCalls).toBe(0);
  });

  test('a request that is refused before any work costs nothing and still says what is left', async () => {
    await using service = await openBilledApi();
    const { api, bearer } = service;
    for (const [body, headers, status] of [
      [{ address: ANN, max_hop: 3 }, {}, 400],
      ['{', {}, 400],
      [{}, { 'content-type': 'text/plain' }, 415],
      ['x'.repeat(70_000), {}, 413],
    ] as const) {
      const response = await api.post('/follow', body, { ...bearer, ...headers });
      expect(response.status).toBe(status);
      expect(creditsOf(response)).toMatchObject({ plan: 'free', analyses_left: 50 });
    }
  });

  test('another method on the address of a paid route says what is left, too', async () => {
    await using service = await openBilledApi();
    for (const [headers, credits] of [
      [service.bearer, { plan: 'free', analyses_left: 50 }],
      [{}, NONE],
    ] as const) {
      const response = await service.get('/follow', headers);
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
      expect(creditsOf(response)).toMatchObject(credits);
    }
  });

  test('an account that cannot pay gets 402 and no payment request', async () => {
    await using service = await openBilledApi({ plan: 'none' });
    const response = await service.follow();
    expect(response.headers.has('payment-required')).toBe(false);
    expect(creditsOf(response)).toMatchObject({ plan: 'none', analyses_left: 0 });
    expect(await codeOf(response)).toEqual({ status: 402, code: 'insufficient_credits' });
  });

  test('a fourth call at once is 429 with Retry-After, and one that ended makes room', async () => {
    const memory = createMemoryReader(story);
    const waiting: (() => void)[] = [];
    const reader = withDepartures(memory, async (request) => {
      await new Promise<void>((resolve) => waiting.push(resolve));
      return pagesOf(memory)(request);
    });
    await using service = await openBilledApi({ reader });
    const running = [service.follow(), service.follow(), service.follow()];
    await expect.poll(() => waiting.length, PATIENCE).toBe(3);
    const refused = await service.follow();
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(await codeOf(refused)).toEqual({ status: 429, code: 'too_many_calls' });
    const account = await (await service.get('/billing/account')).json();
    expect(account).toMatchObject({ concurrency: { limit: 3, in_flight: 3 } });
    const release = setInterval(() => waiting.shift()?.(), 5);
    for (const response of await Promise.all(running)) expect(response.status).toBe(200);
    expect((await service.follow()).status).toBe(200);
    clearInterval(release);
  });

  test('of calls that cost nothing a hundred are answered in five minutes, and later as many again', async () => {
    await using service = await openBilledApi();
    for (let i = 0; i < VOIDS_MAX; i += 1) expect((await service.follow(NOBODY)).status).toBe(200);
    const refused = await service.follow();
    expect(refused.headers.get('retry-after')).toBe('60');
    expect(creditsOf(refused).analyses_left).toBe(50);
    expect(await refused.json()).toMatchObject({
      code: 'too_many_calls',
      error: expect.stringContaining('brought nothing'),
    });
    service.pass(VOIDS_WINDOW_MS);
    expect((await service.follow()).status).toBe(200);
  });

  test('while the ledger can remember no more calls, a call is 503 and nothing is taken', async () => {
    await using service = await openBilledApi({ callsMax: 1 });
    expect((await service.follow()).status).toBe(200);
    const { analysesLeft } = service.memory.balance('account:a');
    expect(await codeOf(await service.follow())).toEqual({ status: 503, code: 'unavailable' });
    expect(service.memory.balance('account:a')).toMatchObject({ analysesLeft, openCalls: 0 });
  });

  test('work that outlived its reservation is not given away: 504, and nothing is taken', async () => {
    const memory = createMemoryReader(story);
    let pass = (_: number): void => {};
    const reader = withDepartures(memory, async (request) => {
      pass(121_000);
      return pagesOf(memory)(request);
    });
    await using service = await openBilledApi({ reader });
    pass = service.pass;
    const response = await service.follow();
    expect(await codeOf(response)).toEqual({ status: 504, code: 'timeout' });
    expect(creditsOf(response).analyses_left).toBe(50);
  });
});

describe('when the client is gone before its answer', () => {
  /** A call whose client leaves, which the process has noticed when `leave` resolves. */
  const openLeaving = async (at: 'work' | 'post') => {
    const client = new AbortController();
    const leave = async (): Promise<void> => {
      client.abort();
      await expect.poll(() => service.api.outcomes, PATIENCE).toMatchObject([{ status: 499 }]);
    };
    const posts: string[] = [];
    const memory = createMemoryReader(story);
    const reader = withDepartures(memory, async (request) => {
      const found = await pagesOf(memory)(request);
      if (at === 'work') await leave();
      return found;
    });
    const submit =
      (ledger: Ledger): Ledger['submit'] =>
      async (payer, command) => {
        const answer = await ledger.submit(payer, command);
        if (command.type !== 'PostCall') return answer;
        posts.push(answer.status);
        await leave();
        return answer;
      };
    const service = await openBilledApi({ reader, submit });
    const body = JSON.stringify({ address: ANN, chain: 'ethereum' });
    const headers = { ...service.bearer, 'content-type': 'application/json' };
    const { signal } = client;
    const lost = fetch(`${service.api.url}/follow`, { method: 'POST', headers, body, signal });
    await expect(lost).rejects.toThrow();
    return { ...service, posts };
  };

  test.each([
    ['while the work is being done', 'work', []],
    ['while its post is being written', 'post', ['posted']],
  ] as const)('%s, nothing is charged', async (_, at, posts) => {
    await using service = await openLeaving(at);
    const left = () => service.memory.balance('account:a');
    await expect.poll(left, PATIENCE).toMatchObject({ analysesLeft: 50, openCalls: 0 });
    expect([...service.memory.usage('account:a').values()]).toMatchObject([{ failed: 1, follows: 0 }]);
    expect(service.posts).toEqual(posts);
  });
});

describe('when the ledger is out of reach', () => {
  const unavailable = () => Promise.reject(new LedgerUnavailableError());

  test('no work is done, and the answer is 503', async () => {
    let asked = 0;
    const memory = createMemoryReader(story);
    const reader = withDepartures(memory, (request) => {
      asked += 1;
      return pagesOf(memory)(request);
    });
    await using service = await openBilledApi({ reader, submit: () => unavailable });
    const response = await service.follow();
    expect(await codeOf(response)).toEqual({ status: 503, code: 'unavailable' });
    expect(asked).toBe(0);
  });

  test('a reservation that was not answered is given back should it have counted', async () => {
    const submit =
      (memory: Ledger): Ledger['submit'] =>
      async (payer, command) => {
        const answer = await memory.submit(payer, command);
        return command.type === 'ReserveCall' ? unavailable() : answer;
      };
    await using service = await openBilledApi({ submit });
    const { memory } = service;
    expect((await service.follow()).status).toBe(503);
    const left = () => memory.balance('account:a');
    await expect.poll(left, PATIENCE).toMatchObject({ analysesLeft: 50, openCalls: 0 });
    expect([...memory.usage('account:a').values()]).toMatchObject([{ failed: 1 }]);
  });

  test('a result whose post was not answered is held back, and taken back should it have counted', async () => {
    const posts: string[] = [];
    // The post counts, but its answer is lost.
    const submit =
      (memory: Ledger): Ledger['submit'] =>
      async (payer, command) => {
        const answer = await memory.submit(payer, command);
        if (command.type !== 'PostCall') return answer;
        posts.push(answer.status);
        return unavailable();
      };
    await using service = await openBilledApi({ submit });
    const { memory } = service;
    const response = await service.follow();
    expect(response.status).toBe(503);
    expect(posts).toEqual(['posted']);
    await expect.poll(() => memory.balance('account:a').analysesLeft, PATIENCE).toBe(50);
  });
});
