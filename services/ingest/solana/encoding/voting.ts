import { decodeBase58Into, readLeadingU32 } from './base58.ts';
import { readU32 } from './exact-integer.ts';
import { isVote } from './programs.ts';
import type { RawInstruction } from './raw-block.ts';
import { callsOnly, type TransactionParts } from './transaction-parts.ts';
import { wireInstructionTags } from './wire-transaction.ts';

// https://docs.rs/solana-vote-interface: the Vote program's other instructions set up, authorise and withdraw.
const TAGS = new Set([2, 6, 8, 9, 12, 13, 14, 15]);
const TYPES = new Set([
  'vote',
  'voteswitch',
  'updatevotestate',
  'updatevotestateswitch',
  'compactupdatevotestate',
  'compactupdatevotestateswitch',
  'towersync',
  'towersyncswitch',
]);

/** Whether every instruction is a vote. */
export const votesOnly = (parts: TransactionParts): boolean => {
  if (!callsOnly(parts, isVote)) return false;
  const { wire, instructions } = parts;
  if (wire === null) return instructions.every(isVoting);
  return wireInstructionTags(wire).every((tag) => TAGS.has(tag));
};

/** Whether an instruction of the Vote program is a vote. */
export const isVoting = ({ parsed, data }: RawInstruction): boolean => {
  if (typeof data === 'string') return isVotingData(data);
  if (typeof parsed !== 'object' || parsed === null || !('type' in parsed)) return false;
  return TYPES.has(String(parsed.type).toLowerCase());
};

const HIGHEST_BYTE = 2 ** 24;
const bytes = new Uint8Array(12_288);

/** Most of a block is votes, and the first four bytes are their tag, so few instructions are decoded completely. */
const isVotingData = (data: string): boolean => {
  const leading = readLeadingU32(data);
  if (leading === null) return decodeBase58Into(data, bytes) >= 4 && TAGS.has(readU32(bytes, 0));
  // The tag's lowest byte comes first.
  return leading % HIGHEST_BYTE === 0 && TAGS.has(leading / HIGHEST_BYTE);
};
