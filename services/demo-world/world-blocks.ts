import { decodeEvmBlock } from '../ingest/evm/decode-evm-block.ts';
import { decodeSolanaBlock } from '../ingest/solana/decode-solana-block.ts';
import type { DecodedBlock } from '../investigate/model/block.ts';
import type { WorldBlock } from './chain-side.ts';
import { createWorld, type WorldOptions } from './create-world.ts';
import type { TruthLine } from './truth.ts';

/** The decoded form of a block just written; votes are summed, as in events. */
export const decodeWorldBlock = (block: WorldBlock): DecodedBlock =>
  block.family === 'solana'
    ? decodeSolanaBlock({ block: block.result, slot: block.number, chain: block.chain, votes: 'sum' })
    : decodeEvmBlock({
        chain: block.chain,
        block: block.block,
        receipts: block.receipts,
        traces: block.traces,
      });

/**
 * The world's decoded blocks, both chains in time order, without a server or JSON. They equal those over RPC,
 * because the same decoders read the same objects. For millions of transfers see bulk-transfers.ts.
 */
export function* worldBlocks(
  options: WorldOptions,
  truthSink?: (line: TruthLine) => void,
): Generator<DecodedBlock> {
  for (const block of createWorld(options, truthSink).blocks()) yield decodeWorldBlock(block);
}
