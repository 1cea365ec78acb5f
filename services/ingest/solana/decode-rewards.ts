import { type Movement, NATIVE } from '../../investigate/model/movement.ts';
import { checkedAddress } from './encoding/checked-address.ts';
import { exactChange } from './encoding/exact-integer.ts';
import type { RawReward } from './encoding/raw-block.ts';

/**
 * The block's own rows. Fees to the leader, staking and voting rewards, and rent handed to validators are `reward`
 * from nobody; rent taken from an account is `rent` to nobody. Zero rewards have no row. @throws
 * TransactionFormatError if an amount is no exact integer or a party no address
 */
export const decodeRewards = (rewards: readonly RawReward[]): Movement[] => {
  const movements: Movement[] = [];
  for (const { pubkey, lamports } of rewards) {
    if (lamports === 0) continue;
    const party = checkedAddress(pubkey);
    const amount = exactChange(lamports);
    const isGain = amount > 0n;
    movements.push({
      txIndex: null,
      index: movements.length,
      kind: isGain ? 'reward' : 'rent',
      from: isGain ? null : party,
      to: isGain ? party : null,
      asset: NATIVE,
      amountRaw: isGain ? amount : -amount,
      authority: null,
    });
  }
  return movements;
};
