import { describe, expect, test } from 'vitest';
import { move, tellStory } from '../testing/chain-story.ts';
import { createMemoryReader } from '../testing/memory-reader.ts';
import { ANN } from '../testing/open-billed-api.ts';
import { openIdempotentApi } from '../testing/open-idempotent-api.ts';
import { createSpoor, type FollowBody, type Trace, type TraceBody, type Trail } from './create-spoor.ts';
import { followOn, traceEnd } from './follow-on.ts';
import { SpoorError } from './spoor-error.ts';

const BODY = { address: ANN, chain: 'ethereum' } as const;

test('a question is answered with types made from the API document, and charged to the key', async () => {
  await using service = await openIdempotentApi();
  const spoor = createSpoor({ url: service.api.url, key: service.key });
  const { hops } = await spoor.follow(BODY);
  expect(hops).toHaveLength(1);
  expect((await spoor.account()).analyses_left).toBe(48);
  expect((await spoor.usage(7)).usage.at(-1)).toMatchObject({ follows: 1 });
  expect((await spoor.status()).status).toBe('ok');
});

test('a refusal is an error with its code, its request id and each wrong field', async () => {
  await using service = await openIdempotentApi();
  const spoor = createSpoor({ url: service.api.url, key: service.key });
  const refused = spoor.follow({ ...BODY, max_hops: 0 });
  await expect(refused).rejects.toBeInstanceOf(SpoorError);
  await expect(refused).rejects.toMatchObject({
    status: 400,
    code: 'invalid_request',
    requestId: expect.stringMatching(/./),
    fields: [{ path: 'max_hops' }],
  });
});

describe('sending again', () => {
  /** A service behind a line that loses the first answers. */
  const behindLossyLine = (losses: number) => {
    const sent: Request[] = [];
    const send: typeof fetch = async (input, init) => {
      const request = new Request(input, init);
      sent.push(request);
      const response = await fetch(request.clone());
      if (sent.length <= losses) throw new TypeError('the connection was lost');
      return response;
    };
    return { sent, send };
  };

  test('a question with a key is sent again under the same Idempotency-Key', async () => {
    await using service = await openIdempotentApi();
    const { sent, send } = behindLossyLine(2);
    const spoor = createSpoor({ url: service.api.url, key: service.key, fetch: send });
    await spoor.follow(BODY);
    expect(new Set(sent.map(({ headers }) => headers.get('idempotency-key'))).size).toBe(1);
    expect(sent).toHaveLength(3);
    expect((await spoor.account()).analyses_left).toBe(48);
  });

  test('a question without a key is sent once: it might be paid for twice', async () => {
    await using service = await openIdempotentApi();
    const { sent, send } = behindLossyLine(1);
    const spoor = createSpoor({ url: service.api.url, fetch: send });
    await expect(spoor.follow(BODY)).rejects.toThrow('the connection was lost');
    expect(sent).toHaveLength(1);
  });

  test('a call that is refused is not sent again', async () => {
    await using service = await openIdempotentApi();
    const { sent, send } = behindLossyLine(0);
    const spoor = createSpoor({ url: service.api.url, key: 'wrong', fetch: send });
    await expect(spoor.follow(BODY)).rejects.toMatchObject({ code: 'unauthorized' });
    expect(sent).toHaveLength(1);
  });
});

describe('going on from an end', () => {
  const trail = (reason: string, next: object | null) => ({ end: { reason, next } }) as unknown as Trail;

  const collect = async (trails: AsyncIterable<Trail>): Promise<Trail[]> => {
    const all: Trail[] = [];
    for await (const each of trails) all.push(each);
    return all;
  };

  test('followOn asks the call that each end hands over, until none does', async () => {
    const trails = [
      trail('dex_swap', { path: '/follow', body: { address: 'b' } }),
      trail('bridge', { path: '/follow', body: { address: 'c' } }),
      trail('exchange', { path: '/trace', body: { wallet: 'c' } }),
    ];
    const asked: unknown[] = [];
    const follow = async (body: FollowBody) => {
      asked.push(body.address);
      return trails[asked.length - 1] as Trail;
    };
    const yielded = await collect(followOn({ follow }, { address: 'a' }));
    expect(yielded).toEqual(trails);
    expect(asked).toEqual(['a', 'b', 'c']);
  });

  test('followOn follows the calls that a service hands over, each a paid one', async () => {
    const [bea, cyd, dan] = ['2', '3', '4'].map((digit) => `0x${digit.repeat(40)}`) as [
      string,
      string,
      string,
    ];
    const steps = [move(ANN, bea, 100n), move(bea, cyd, 100n), move(cyd, dan, 100n)];
    const told = steps.map((moved, at) => ({ time: 1_000 + 100 * at, moves: [moved] }));
    await using service = await openIdempotentApi({
      reader: createMemoryReader(tellStory('ethereum', told)),
    });
    const spoor = createSpoor({ url: service.api.url, key: service.key });
    const trails = await collect(followOn(spoor, { ...BODY, max_hops: 1 }));
    expect(trails.map(({ end }) => end.reason)).toEqual(['max_hops', 'max_hops', 'at_rest']);
    expect(trails.flatMap(({ hops }) => hops.map(({ to }) => to))).toEqual([bea, cyd, dan]);
    expect((await spoor.account()).analyses_left).toBe(50 - 3 * 2);
  });

  test('followOn stops after as many trails as it is told, where money goes round', async () => {
    const follow = async () => trail('dex_swap', { path: '/follow', body: { address: 'a' } });
    expect(await collect(followOn({ follow }, { address: 'a' }, { trailsMax: 3 }))).toHaveLength(3);
  });

  test('traceEnd asks what an exchange hands over, and nothing at any other end', async () => {
    const asked: unknown[] = [];
    const trace = async (body: TraceBody) => {
      asked.push(body);
      return {} as Trace;
    };
    expect(await traceEnd({ trace }, trail('at_rest', null))).toBeNull();
    await traceEnd({ trace }, trail('exchange', { path: '/trace', body: { wallet: 'c' } }));
    expect(asked).toEqual([{ wallet: 'c' }]);
  });
});
