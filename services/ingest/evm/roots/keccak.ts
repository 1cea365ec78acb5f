import { createKeccak } from 'hash-wasm';

// Ten times as fast as viem's, which would take as long as decoding the rest of the block.
const hasher = await createKeccak(256);

/** Keccak-256. */
export const keccak = (bytes: Uint8Array): Uint8Array => hasher.init().update(bytes).digest('binary');
