import type { RawBlock } from '../../ingest/solana/encoding/raw-block.ts';
import { block, FEE, keyOf, systemTransfer, transaction } from './build-transaction.ts';
import { payer, SOL } from './tell-rows.ts';

/** A block that builds on the slot before it, with a payment to bob by a transaction of each of these versions. */
export const blockOfVersions = (slot: number, ...versions: readonly ('legacy' | number)[]): RawBlock => {
  const paying = versions.map((version, place) => {
    const [paid, fees] = [70n * BigInt(place), FEE * BigInt(place)];
    const bob = { name: 'bob', before: SOL + paid, after: SOL + paid + 70n };
    const told = {
      accounts: [payer(SOL - paid - fees, 70n), bob],
      instructions: [systemTransfer('alice', 'bob', 70n)],
    };
    return { ...transaction(told), version };
  });
  return {
    ...block(...paying),
    blockhash: keyOf(`block ${slot}`),
    previousBlockhash: keyOf(`block ${slot - 1}`),
    parentSlot: slot - 1,
    rewards: [{ pubkey: keyOf('leader'), lamports: 2_500, rewardType: 'Fee' }],
  };
};
