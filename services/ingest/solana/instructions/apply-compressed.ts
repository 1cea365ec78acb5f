import type { Ledger } from '../ledger/ledger.ts';
import type { CompiledInstruction } from './compiled-instruction.ts';

/**
 * Light Protocol keeps balances in Merkle trees, outside the accounts that a node lists. Its instructions prove hashes
 * and name no party's balance, so their amounts count as hidden. Instruction numbers:
 * https://github.com/Lightprotocol/light-protocol, `programs/compressed-token/program/docs/INSTRUCTIONS.md`.
 */

/** One byte: approve, revoke, close an empty account, freeze, thaw, create accounts, rent. */
const MOVES_NOTHING: readonly number[] = [4, 5, 9, 10, 11, 18, 100, 102, 104, 105];
/** Eight bytes, as Anchor hashes the names. */
const MOVE_NOTHING_BY_NAME: ReadonlySet<string> = new Set([
  '17a91b7a93a9d198', // create_token_pool
  '728fd249607301e4', // add_token_pool
  '454ad9247375614c', // approve
  'aa171f2285ad5df2', // revoke
  'ff5bcf54fbc2fe3f', // freeze
  'e2f92239bd15b165', // thaw
]);
/** `invoke`: compressed SOL, sent by its owner. Programs reach it by other instructions, mostly for data. */
const INVOKE = '1a10a90715caf219';

const nameOf = ({ data, start, end }: CompiledInstruction): string =>
  Buffer.from(data.subarray(start, Math.min(end, start + 8))).toString('hex');

export const applyCompressedToken = (ledger: Ledger, instruction: CompiledInstruction): void => {
  const { data, start, end } = instruction;
  if (end <= start || MOVES_NOTHING.includes(data[start] ?? -1)) return;
  if (!MOVE_NOTHING_BY_NAME.has(nameOf(instruction))) ledger.hidden ??= 'compressed_transfer';
};

export const applyCompressedSol = (ledger: Ledger, instruction: CompiledInstruction): void => {
  if (nameOf(instruction) === INVOKE) ledger.hidden ??= 'compressed_transfer';
};
