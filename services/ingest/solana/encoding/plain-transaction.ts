import { isAddress } from './checked-address.ts';
import { isSilent, isVote, VOTE_PROGRAM } from './programs.ts';
import type { Lamports, RawMessage, RawMeta, RawTransaction } from './raw-block.ts';
import { callsOnly, SIGNATURE_LENGTH_MAX, signatureOf, type TransactionParts } from './transaction-parts.ts';
import { isVoting, votesOnly } from './voting.ts';

/** A transaction that paid its fee and moved nothing. */
export type PlainTransaction = {
  readonly hash: string;
  readonly sender: string;
  readonly feeRaw: bigint;
  readonly isVote: boolean;
};

/**
 * The fast path for most of a mainnet block: one Vote instruction that paid its fee and moved nothing. null for
 * anything else or odd, which takes the ordinary path.
 */
export const readPlainVote = ({ transaction }: RawTransaction, meta: RawMeta): PlainTransaction | null => {
  if (typeof transaction !== 'object' || transaction === null || !('message' in transaction)) return null;
  const { message, signatures } = transaction;
  if (!callsOnlyVote(message)) return null;
  const feeRaw = onlyFeeOf(meta, message.accountKeys.length);
  if (feeRaw === null) return null;
  const hash = signatures?.[0];
  const payer = message.accountKeys[0];
  const sender = typeof payer === 'string' ? payer : payer?.pubkey;
  if (typeof hash !== 'string' || hash.length > SIGNATURE_LENGTH_MAX || !isAddress(sender)) return null;
  return { hash, sender, feeRaw, isVote: message.instructions.every(isVoting) };
};

/** The same for the wire form, and for transactions that call no moving program. */
export const readPlainWire = (parts: TransactionParts, meta: RawMeta): PlainTransaction | null => {
  const { wire, keys } = parts;
  if (wire === null || wire.keyCount === 0) return null;
  const feeRaw = onlyFeeOf(meta, keys.count);
  if (feeRaw === null) return null;
  const callsVote = wire.instructionCount === 1 && callsOnly(parts, isVote);
  if (!callsVote && (meta.innerInstructions?.length || !callsOnly(parts, isSilent))) return null;
  return { hash: signatureOf(parts), sender: keys.at(0), feeRaw, isVote: callsVote && votesOnly(parts) };
};

const callsOnlyVote = (message: RawMessage | undefined | null): message is RawMessage => {
  if (message === undefined || message === null) return false;
  const { accountKeys, instructions } = message;
  if (!Array.isArray(accountKeys) || !Array.isArray(instructions) || instructions.length !== 1) return false;
  const { programIdIndex, programId } = instructions[0] ?? {};
  return (typeof programIdIndex === 'number' ? accountKeys[programIdIndex] : programId) === VOTE_PROGRAM;
};

/** The fee, if nothing else changed; null otherwise. */
const onlyFeeOf = (meta: RawMeta, count: number): bigint | null => {
  const { preBalances, postBalances, preTokenBalances, postTokenBalances, rewards, fee } = meta;
  // Token accounts that are passed along tell later transactions their mints and owners.
  if (rewards?.length || preTokenBalances?.length || postTokenBalances?.length) return null;
  if (preBalances?.length !== count || postBalances?.length !== count) return null;
  for (let i = 1; i < count; i++) if (preBalances[i] !== postBalances[i]) return null;
  const before: Lamports | undefined = preBalances[0];
  const after = postBalances[0];
  if (typeof before !== 'number' || typeof after !== 'number' || typeof fee !== 'number') return null;
  return Number.isSafeInteger(before) && Number.isSafeInteger(after) && fee > 0 && before - after === fee
    ? BigInt(fee)
    : null;
};
