import { parentPort, workerData } from 'node:worker_threads';
import { createBlockEncoder } from '../events/encode-block.ts';
import { loadSchema } from '../platform/avro/schemas.ts';
import { tryDecodeFile } from './decode-file.ts';

/** A thread that decodes block files: the thread that feeds the tables must not wait for a block to be parsed. */
const { schemaId } = workerData as { schemaId: number };
const encode = createBlockEncoder(loadSchema('BlockTransfers'), schemaId);

parentPort?.on('message', async ({ path, chain }: { path: string; chain: string | null }) => {
  parentPort?.postMessage(await tryDecodeFile(path, chain, encode));
});
