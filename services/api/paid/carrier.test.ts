import { EventEmitter } from 'node:events';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { exchangeOf } from './caller.ts';
import { carryBy } from './carrier.ts';

const openExchange = () => {
  const req = new IncomingMessage(new Socket());
  const res = new ServerResponse(req);
  const ctx = { req, res, path: '/follow', state: { from: { name: 'a' } } };
  let given = 0;
  const listen = () => exchangeOf(ctx as never, new URL('https://spoor.example')).onSent(() => given++);
  return { req, res, listen, given: () => given };
};

test('an answer with a connection of its own is given when it is out', () => {
  const { res, listen, given } = openExchange();
  listen();
  res.emit('finish');
  expect(given()).toBe(1);
});

test('an answer within another response is given when that one is out, not before', () => {
  const { req, res, listen, given } = openExchange();
  const outer = new EventEmitter() as ServerResponse;
  carryBy(req, outer);
  listen();
  res.emit('finish');
  expect(given()).toBe(0);
  outer.emit('finish');
  expect(given()).toBe(1);
});
