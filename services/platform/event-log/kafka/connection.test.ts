import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createConnection } from './connection.ts';

/** Speaks no TLS, which kafkajs is not told to wait for. */
const refuse = async () => {
  let asked = 0;
  const server = createServer((socket) => {
    asked += 1;
    socket.on('error', () => {}).end('HTTP/1.1 400 Bad Request\r\n\r\n');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { broker: `127.0.0.1:${(server.address() as AddressInfo).port}`, asked: () => asked };
};

test('a session that could not be opened is opened anew for the next one who asks', async () => {
  const { broker, asked } = await refuse();
  const connection = createConnection({
    address: { brokers: [broker], tls: true },
    topics: [],
    compression: 'none',
    onError: () => {},
  });
  onTestFinished(() => connection.close());
  const run = () => connection.run(async () => 'connected');
  await expect(run()).rejects.toThrow();
  const before = asked();
  await expect(run()).rejects.toThrow();
  expect(asked()).toBeGreaterThan(before);
});
