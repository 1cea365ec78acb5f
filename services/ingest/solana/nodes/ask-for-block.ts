import { NEWEST_VERSION } from '../encoding/known-version.ts';
import type { SolanaRpc, SolanaRpcAnswer } from './solana-rpc.ts';

export type SolanaCommitment = 'confirmed' | 'finalized';

export type AskedBlock = {
  readonly answer: SolanaRpcAnswer;
  /** Why the answer lacks the transactions; null if it has them. */
  readonly refusal: string | null;
};

export const UNSUPPORTED_VERSION = -32_015;
const INVALID_PARAMS = -32_602;
const REFUSALS: readonly number[] = [UNSUPPORTED_VERSION, INVALID_PARAMS];
/** Nodes compare a byte with each transaction's version: none is above this. */
const ANY_VERSION = 255;

export const blockOptions = (
  commitment: SolanaCommitment,
  transactionDetails: 'full' | 'none',
  version = NEWEST_VERSION,
) => ({
  encoding: 'json',
  transactionDetails,
  rewards: transactionDetails === 'full',
  maxSupportedTransactionVersion: version,
  commitment,
});

/**
 * Requests blocks with transactions. A node refuses a whole block for one newer transaction: it is then asked for
 * all versions, and if it still refuses, for the block without transactions.
 */
export const createAskForBlock = (rpc: SolanaRpc, commitment: SolanaCommitment) => {
  // Once such transactions are in use, most blocks have some.
  let version = NEWEST_VERSION;
  return async (slot: number, signal: AbortSignal): Promise<AskedBlock> => {
    const ask = (options: object) => rpc.ask('getBlock', [slot, options], signal);
    const first = await ask(blockOptions(commitment, 'full', version));
    if (!('failure' in first) || first.failure.code !== UNSUPPORTED_VERSION)
      return { answer: first, refusal: null };
    const second = version === ANY_VERSION ? first : await ask(blockOptions(commitment, 'full', ANY_VERSION));
    if (!('failure' in second)) version = ANY_VERSION;
    if (!('failure' in second) || !REFUSALS.includes(second.failure.code))
      return { answer: second, refusal: null };
    const bare = await ask({ ...blockOptions(commitment, 'none'), rewards: true });
    return { answer: bare, refusal: first.failure.message };
  };
};
