import { parentPort, workerData } from 'node:worker_threads';
import { createBlockEncoder } from '../events/encode-block.ts';
import { tryDecodeFile } from './decode-file.ts';
import type { DecodeAnswer, DecodeQuestion } from './decode-pool.ts';

/** A thread that decodes block files: the thread that feeds the tables must not wait for a block to be parsed. */
const { schemaId } = workerData as { schemaId: number };
const encode = createBlockEncoder(schemaId);

parentPort?.on('message', async ({ id, path, chain }: DecodeQuestion) => {
  parentPort?.postMessage({ id, file: await tryDecodeFile(path, chain, encode) } satisfies DecodeAnswer);
});
