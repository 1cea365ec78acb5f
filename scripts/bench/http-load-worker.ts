/** Sends requests over plain sockets, one at a time on each: a client that costs almost nothing beside the server. */
import { connect } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';
import type { Load } from './http-load.ts';

const { url, requests, seconds } = workerData as Load;
const { hostname, port } = new URL(url);
const HEAD_END = '\r\n\r\n';

/** Bytes of the first complete answer in the text; 0 if there is none. */
const answerLength = (text: string): number => {
  const head = text.indexOf(HEAD_END);
  if (head < 0) return 0;
  const length = /content-length: (\d+)/i.exec(text.slice(0, head))?.[1];
  if (length === undefined) throw new Error(`an answer without a length: ${text.slice(0, 200)}`);
  const end = head + HEAD_END.length + Number(length);
  return text.length < end ? 0 : end;
};

let answers = 0;
const startMs = performance.now();
const untilMs = startMs + seconds * 1_000;

const runConnection = (request: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(request));
    let received = '';
    socket.setNoDelay(true);
    socket.on('error', reject);
    socket.on('data', (chunk) => {
      // A character a byte.
      received += chunk.toString('latin1');
      const end = answerLength(received);
      if (end === 0) return;
      if (!received.startsWith('HTTP/1.1 200')) return reject(new Error(received.slice(0, 500)));
      received = received.slice(end);
      answers += 1;
      if (performance.now() < untilMs) return void socket.write(request);
      socket.end();
      resolve();
    });
  });

await Promise.all(requests.map(runConnection));
parentPort?.postMessage(answers / ((performance.now() - startMs) / 1_000));
