import { type Address, getProgramDerivedAddress } from '@solana/kit';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SOLANA_TOKEN_BRIDGE, wormholeClaim } from './wormhole-claim.ts';

test('the account that marks a message as used is the one that Solana derives from its number', async () => {
  const parts = fc.tuple(
    fc.uint8Array({ minLength: 32, maxLength: 32 }),
    fc.nat(65_535),
    fc.bigInt(0n, 2n ** 64n - 1n),
  );
  for (const [emitter, chain, sequence] of fc.sample(parts, { numRuns: 40, seed: 7 })) {
    const [chainBytes, sequenceBytes] = [Buffer.alloc(2), Buffer.alloc(8)];
    chainBytes.writeUInt16BE(chain);
    sequenceBytes.writeBigUInt64BE(sequence);
    const [derived] = await getProgramDerivedAddress({
      programAddress: SOLANA_TOKEN_BRIDGE as Address,
      seeds: [emitter, chainBytes, sequenceBytes],
    });
    expect(wormholeClaim(chain, Buffer.from(emitter).toString('hex'), sequence)).toBe(derived);
  }
});
