import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { ReadFailedError } from '../investigate/model/transfer-reader.ts';
import { createMemoryReader } from '../testing/memory-reader.ts';
import { ANN, openBilledApi, story } from '../testing/open-billed-api.ts';
import { PATIENCE } from '../testing/patience.ts';

const BODY = JSON.stringify({ address: ANN, chain: 'ethereum' });

/** What a service sends to a client that writes its requests by hand. */
const openLine = (url: string, { allowHalfOpen = false } = {}) => {
  const { port, hostname } = new URL(url);
  const socket = connect({ port: Number(port), host: hostname, allowHalfOpen });
  let received = '';
  socket.setEncoding('utf8').on('data', (text) => {
    received += text;
  });
  // Cut while it still sends.
  socket.on('error', () => {});
  onTestFinished(() => void socket.destroy());
  return {
    write: (text: string) => socket.write(text),
    received: () => received,
    ended: once(socket, 'end'),
  };
};

const headOf = (key: string, more = ''): string =>
  [
    'POST /follow HTTP/1.1',
    'Host: x',
    'Content-Type: application/json',
    `Authorization: Bearer ${key}`,
    `Content-Length: ${BODY.length}${more}`,
    '\r\n',
  ].join('\r\n');

test('a call behind which something else came on its line is stopped and not charged, though its client keeps its half open', async () => {
  const stopped = Promise.withResolvers<Error>();
  const reader = {
    ...createMemoryReader(story),
    familiesSent: async ({ signal }: { signal: AbortSignal }): Promise<never> => {
      await once(signal, 'abort');
      stopped.resolve(signal.reason);
      throw new ReadFailedError('aborted');
    },
  };
  await using service = await openBilledApi({ reader });
  const line = openLine(service.api.url, { allowHalfOpen: true });
  // One character more than was announced.
  line.write(`${headOf(service.key)}${BODY}}`);
  // Not because it took too long.
  expect(await stopped.promise).toMatchObject({ name: 'AbortError' });
  await line.ended;
  expect(line.received().match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 400']);
  const left = () => service.memory.balance('account:a');
  await expect.poll(left, PATIENCE).toMatchObject({ analysesLeft: 50, openCalls: 0 });
});
