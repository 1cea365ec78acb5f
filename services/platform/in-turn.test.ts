import { expect, test } from 'vitest';
import { inTurn } from './in-turn.ts';

const AWAY = new Error('away');
const isAway = (error: unknown): boolean => error === AWAY;

/** Servers of which those named are away, and whom they were asked by now. */
const servers = (...away: string[]) => {
  const asked: string[] = [];
  const ask = async (server: string): Promise<string> => {
    asked.push(server);
    if (away.includes(server)) throw AWAY;
    return server;
  };
  return { asked, ask, away };
};

test('a server that is away is passed over, and not asked first again', async () => {
  const { asked, ask } = servers('a');
  const askInTurn = inTurn(['a', 'b', 'c'], isAway);
  expect([await askInTurn(ask), await askInTurn(ask)]).toEqual(['b', 'b']);
  expect(asked).toEqual(['a', 'b', 'b']);
});

test('where all are away, each is asked once and the last error is told', async () => {
  const { asked, ask } = servers('a', 'b');
  await expect(inTurn(['a', 'b'], isAway)(ask)).rejects.toBe(AWAY);
  expect(asked).toEqual(['a', 'b']);
});

test('an error of the request itself is nobody’s absence', async () => {
  const refused = new Error('no such table');
  const asked: string[] = [];
  const failing = inTurn(
    ['a', 'b'],
    isAway,
  )(async (server) => {
    asked.push(server);
    throw refused;
  });
  await expect(failing).rejects.toBe(refused);
  expect(asked).toEqual(['a']);
});

test('what cannot be repeated fails once, and the next request goes to another server', async () => {
  const { asked, ask } = servers('a');
  const askInTurn = inTurn(['a', 'b'], isAway);
  await expect(askInTurn(ask, { isRepeatable: false })).rejects.toBe(AWAY);
  expect(await askInTurn(ask, { isRepeatable: false })).toBe('b');
  expect(asked).toEqual(['a', 'b']);
});

test('an absence that is heard of late does not turn back to servers that are away since', async () => {
  const asked: string[] = [];
  const late = Promise.withResolvers<never>();
  const askInTurn = inTurn(['a', 'b', 'c'], isAway);
  const slow = askInTurn(async (server) => (server === 'a' ? late.promise : server));
  const quick = (server: string): Promise<string> => {
    asked.push(server);
    return server === 'c' ? Promise.resolve(server) : Promise.reject(AWAY);
  };
  expect(await askInTurn(quick)).toBe('c');
  late.reject(AWAY);
  expect(await slow).toBe('c');
  expect(await askInTurn(quick)).toBe('c');
  expect(asked).toEqual(['a', 'b', 'c', 'c']);
});
