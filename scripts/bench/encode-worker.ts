import { parentPort, workerData } from 'node:worker_threads';
import { bulkBlocks } from '../../services/demo-world/bulk-transfers.ts';
import { type BlockEncoder, createBlockEncoder } from '../../services/events/encode-block.ts';
import { historyKey } from '../../services/events/history-key.ts';
import type { DecodedBlock } from '../../services/investigate/model/block.ts';
import { releaseValues } from '../../services/platform/release-buffers.ts';
import type { EncodeAnswer, EncodeQuestion, HeldBlocks } from './encode-thread.ts';

/** A thread that holds decoded blocks and encodes them on request: one `EncodeAnswer` per question, in order. */
const { transfers } = workerData as { transfers: number };
const blocks = [...bulkBlocks({ seed: 1, transfers, chain: 'solana' })];
const movements = blocks.reduce((sum, block) => sum + block.movements.length, 0);
const encoders = new Map<number, BlockEncoder>();

const encoderOf = (schemaId: number): BlockEncoder => {
  const encode = encoders.get(schemaId) ?? createBlockEncoder(schemaId);
  encoders.set(schemaId, encode);
  return encode;
};

parentPort?.on('message', ({ at, schemaId, isPlain }: EncodeQuestion) => {
  const whole = blocks[at];
  if (!whole) throw new RangeError(`there is no block ${at}`);
  const block: DecodedBlock = isPlain ? { ...whole, controlEvents: [], controlCoverage: 'none' } : whole;
  const key = historyKey(block.chain, block.number);
  const records = encoderOf(schemaId)(block).map((value) => ({ topic: 'transfers.history', key, value }));
  parentPort?.postMessage(records satisfies EncodeAnswer);
  // It was sent as a copy.
  releaseValues(records);
});
parentPort?.postMessage({ blocks: blocks.length, movements } satisfies HeldBlocks);
