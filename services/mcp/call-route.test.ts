import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { callServer } from './call-route.ts';

const BYTES_MAX = 10_000;

/** A server that sends as much as it likes and says nothing of the length. */
const startServer = async (text: string): Promise<URL> => {
  const server = createServer((_, response) => {
    for (let at = 0; at < text.length; at += 1_000) response.write(text.slice(at, at + 1_000));
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
};

const ask = async (text: string) =>
  callServer(
    await startServer(text),
    BYTES_MAX,
  )({ path: '/follow', body: {}, headers: {}, signal: AbortSignal.timeout(10_000) });

test('an answer is read as it was sent', async () => {
  const answer = await ask(JSON.stringify({ detail: 'ü'.repeat(4_000) }));
  expect(answer).toMatchObject({ status: 200, body: { detail: 'ü'.repeat(4_000) } });
});

test('of a server that sends more than an answer can have no more is read', async () => {
  await expect(ask(JSON.stringify({ detail: 'x'.repeat(BYTES_MAX) }))).rejects.toThrow(
    'more than 10000 bytes',
  );
});
