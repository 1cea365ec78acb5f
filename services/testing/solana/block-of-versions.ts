import type { RawBlock } from '../../ingest/solana/encoding/raw-block.ts';
import { block, keyOf, systemTransfer, transaction } from './build-transaction.ts';
import { payer, SOL } from './tell-rows.ts';

/** A block that builds on the slot before it, with a payment to bob by a transaction of each of these versions. */
export const blockOfVersions = (slot: number, ...versions: readonly ('legacy' | number)[]): RawBlock => {
  const paying = transaction({
    accounts: [payer(SOL, 70n), { name: 'bob', before: SOL, after: SOL + 70n }],
    instructions: [systemTransfer('alice', 'bob', 70n)],
  });
  return {
    ...block(...versions.map((version) => ({ ...paying, version }))),
    blockhash: keyOf(`block ${slot}`),
    previousBlockhash: keyOf(`block ${slot - 1}`),
    parentSlot: slot - 1,
    rewards: [{ pubkey: keyOf('leader'), lamports: 2_500, rewardType: 'Fee' }],
  };
};
