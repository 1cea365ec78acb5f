import { type AddressInfo, connect, createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { startSlotServer } from '../../../testing/nodes/slot-server.ts';
import { subscribeToSlots } from './subscribe-to-slots.ts';

const NEVER = new AbortController().signal;
const LONG_MS = 60_000;
const PATIENCE = { timeout: 20_000, interval: 10 };

const listenTo = (url: string, options: { silenceMs?: number } = {}) => {
  const stopping = new AbortController();
  onTestFinished(() => stopping.abort());
  return { stopping, slots: subscribeToSlots({ url, reconnectMs: 10, ...options }, stopping.signal) };
};

test('a slot that the node tells of ends the wait, also one that came before it', async () => {
  const server = await startSlotServer();
  const { slots } = listenTo(server.url);
  await expect.poll(() => server.received, PATIENCE).toEqual([expect.stringContaining('"slotSubscribe"')]);
  const waiting = slots.moved(LONG_MS, NEVER);
  server.tell(100);
  await waiting;
  server.tell(101);
  await slots.moved(LONG_MS, NEVER);
});

test('a connection that ends is made again', async () => {
  const server = await startSlotServer();
  const { slots } = listenTo(server.url);
  await expect.poll(() => server.received.length, PATIENCE).toBe(1);
  server.hangUp();
  await expect.poll(() => server.received.length, PATIENCE).toBe(2);
  const waiting = slots.moved(LONG_MS, NEVER);
  server.tell(100);
  await waiting;
});

test('a connection that falls silent is given up for another', async () => {
  const server = await startSlotServer();
  const { slots } = listenTo(server.url, { silenceMs: 300 });
  await expect.poll(() => server.received.length, PATIENCE).toBeGreaterThan(1);
  const waiting = slots.moved(LONG_MS, NEVER);
  await expect.poll(() => server.connections(), PATIENCE).toBe(1);
  const telling = setInterval(() => server.tell(100), 50);
  await waiting;
  clearInterval(telling);
});

test('a node that tells of no slots is asked every so often', async () => {
  const { slots } = listenTo('ws://127.0.0.1:1');
  await slots.moved(5, NEVER);
  await slots.moved(5, NEVER);
});

test('told to stop, it waits no longer and keeps no connection', async () => {
  const server = await startSlotServer();
  const { slots, stopping } = listenTo(server.url);
  await expect.poll(() => server.received.length, PATIENCE).toBe(1);
  const leaving = new AbortController();
  const waiting = slots.moved(LONG_MS, leaving.signal);
  leaving.abort(new Error('leaving'));
  await expect(waiting).rejects.toThrow('leaving');
  stopping.abort();
  await expect.poll(() => server.connections(), PATIENCE).toBe(0);
});

/** A way to a server on which nothing comes back before it is let through. */
const startSlowWay = async (to: string) => {
  const letThrough = Promise.withResolvers<void>();
  const way = createServer((near) => {
    const far = connect(Number(new URL(to).port), '127.0.0.1');
    for (const socket of [near, far]) socket.on('error', () => socket.destroy());
    near.pipe(far);
    void letThrough.promise.then(() => far.pipe(near));
    onTestFinished(() => void near.destroy());
  });
  await new Promise<void>((resolve) => way.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void way.close());
  return { url: `ws://127.0.0.1:${(way.address() as AddressInfo).port}`, letThrough: letThrough.resolve };
};

test('told to stop while a connection is being made, it does not keep that one', async () => {
  const server = await startSlotServer();
  const { url, letThrough } = await startSlowWay(server.url);
  const { stopping } = listenTo(url);
  await expect.poll(() => server.connections(), PATIENCE).toBe(1);
  stopping.abort();
  letThrough();
  await expect.poll(() => server.connections(), PATIENCE).toBe(0);
  expect(server.received).toEqual([]);
});

test('a node that asks for a login is listened to with the one that its address names', async () => {
  const shaken = Promise.withResolvers<string>();
  const node = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    socket.once('data', (data) => socket.end(() => shaken.resolve(data.toString())));
  });
  await new Promise<void>((resolve) => node.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void node.close());
  listenTo(`ws://user:50%25@127.0.0.1:${(node.address() as AddressInfo).port}`);
  expect(await shaken.promise).toMatch(new RegExp(`^authorization: Basic ${btoa('user:50%')}\r$`, 'im'));
});
