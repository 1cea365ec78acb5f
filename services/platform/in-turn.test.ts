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

test('many who meet an absent server at one moment move on by one, not by many', async () => {
  const { asked, ask } = servers('a');
  const askInTurn = inTurn(['a', 'b', 'c'], isAway);
  expect(await Promise.all([1, 2, 3].map(() => askInTurn(ask)))).toEqual(['b', 'b', 'b']);
  expect(asked.filter((server) => server === 'c')).toEqual([]);
});
