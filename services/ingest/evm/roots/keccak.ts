import { createKeccak } from 'hash-wasm';

// Ten times as fast as what viem brings, which would take as long as decoding all the rest of a block.
const hasher = await createKeccak(256);

/** Keccak-256. */
export const keccak = (bytes: Uint8Array): Uint8Array => hasher.init().update(bytes).digest('binary');
