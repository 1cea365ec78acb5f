import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

export type Load = {
  readonly url: string;
  /** One connection each: the request that it repeats, as bytes of HTTP/1.1. */
  readonly requests: readonly string[];
  readonly seconds: number;
};

/** Answers a second from a thread of its own. Any status but 200 fails the measurement. */
export const measureLoad = async (load: Load): Promise<number> => {
  const worker = new Worker(new URL('./http-load-worker.ts', import.meta.url), { workerData: load });
  try {
    const [rate] = (await once(worker, 'message')) as [number];
    return rate;
  } finally {
    await worker.terminate();
  }
};

export const toRequest = (method: string, path: string, headers: Record<string, string>, body = ''): string =>
  [
    `${method} ${path} HTTP/1.1`,
    'host: localhost',
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...(body === '' ? [] : [`content-length: ${Buffer.byteLength(body)}`]),
    '',
    body,
  ].join('\r\n');
