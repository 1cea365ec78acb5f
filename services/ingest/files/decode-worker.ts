import { parentPort, workerData } from 'node:worker_threads';
import { createBlockEncoder } from '../../events/encode-block.ts';
import { releaseValues } from '../../platform/release-buffers.ts';
import { tryDecodeFile } from './decode-file.ts';
import type { DecodeAnswer, DecodeQuestion } from './decode-pool.ts';

/** A thread that decodes block files, so that the thread that fills the tables never waits for parsing. */
const { schemaId } = workerData as { schemaId: number };
const encode = createBlockEncoder(schemaId);

parentPort?.on('message', async ({ id, path, chain }: DecodeQuestion) => {
  const file = await tryDecodeFile(path, chain, encode);
  parentPort?.postMessage({ id, file } satisfies DecodeAnswer);
  // It was sent as a copy.
  if (file.status === 'block') releaseValues(file.records);
});
