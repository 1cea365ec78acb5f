import type { AssetFact, DecodedBlock, DecodeProblem } from '../../investigate/model/block.ts';
import { type Movement, NATIVE } from '../../investigate/model/movement.ts';
import { BlockFormatError } from '../block-format-error.ts';
import { type Collected, collectExempt, collectNothing, collectRows } from '../collected.ts';
import { refuseTooMany } from '../too-many-transactions.ts';
import { type BlockKnowledge, newBlockKnowledge } from './block-knowledge.ts';
import { decodeRewards } from './decode-rewards.ts';
import { type DecodedTransaction, decodeTransaction, type VoteFees } from './decode-transaction.ts';
import type { RawBlock, RawTransaction } from './raw-block.ts';
import { TransactionFormatError } from './transaction-format-error.ts';

export type SolanaBlockInput = {
  /** The parsed `result` of `getBlock`, best from `parseSolanaBlock`, which keeps large lamports exact. */
  readonly block: unknown;
  readonly slot: number;
  readonly chain: string;
  /**
   * `each`: rows as the block has them, a fee for every vote. `sum`: as events keep them, the fees of votes only summed, in
   * `voteFeesRaw`, and what bridges took handed to them first.
   */
  readonly votes: VoteFees;
};

// 32 bytes in base58.
const HASH_LENGTH_MAX = 44;
// What tables hold as the time of a block: 32 bits.
const BLOCK_TIME_MAX = 2 ** 32 - 1;
const MESSAGE_LENGTH_MAX = 300;

type Outcome = DecodedTransaction | DecodeProblem;
type TransactionOptions = Pick<SolanaBlockInput, 'votes' | 'chain'>;

/**
 * Decodes a block into its movements. A transaction that cannot be decoded is a problem and the rest stands.
 * @throws BlockFormatError when the input is no block, or lacks what decoding needs
 */
export const decodeSolanaBlock = ({ block: input, slot, chain, votes }: SolanaBlockInput): DecodedBlock => {
  const block = checkBlock(input);
  const knowledge = newBlockKnowledge(block.blockTime ?? null);
  const outcomes = decodeTransactions(block.transactions, { votes, chain }, knowledge);
  const collected = collect(outcomes);
  const problems = [...collected.problems];
  for (const reward of rewardsOf(block, problems)) collected.movements.push(reward);
  return {
    chain,
    number: slot,
    hash: block.blockhash,
    parentHash: block.previousBlockhash,
    parentNumber: block.parentSlot,
    timeUnixSeconds: block.blockTime ?? null,
    transactions: collected.transactions,
    movements: collected.movements,
    swaps: collected.swaps,
    bridgeTransfers: collected.bridgeTransfers,
    assets: assetsOf(collected.movements, knowledge),
    voteFeesRaw: collected.voteFeesRaw,
    problems,
    exempt: collected.exempt,
  };
};

const checkBlock = (input: unknown): RawBlock => {
  if (typeof input !== 'object' || input === null || Array.isArray(input))
    throw new BlockFormatError(
      'not_a_block',
      `a block is an object, not ${input === null ? 'null' : typeof input}`,
    );
  const block = input as Partial<Record<keyof RawBlock, unknown>>;
  if (typeof block.blockhash !== 'string' || typeof block.previousBlockhash !== 'string')
    throw new BlockFormatError('not_a_block', 'the input has no blockhash and previousBlockhash');
  if (!Array.isArray(block.transactions))
    throw new BlockFormatError(
      'transactions_missing',
      'the block has no transactions: ask getBlock for transactionDetails "full"',
    );
  refuseTooMany(block.transactions);
  if (block.parentSlot === undefined || block.parentSlot === null)
    throw new BlockFormatError('field_missing', 'the block has no parentSlot');
  if (block.blockhash.length > HASH_LENGTH_MAX || block.previousBlockhash.length > HASH_LENGTH_MAX)
    throw new BlockFormatError('field_malformed', 'blockhash or previousBlockhash is no hash');
  if (!isCount(block.parentSlot, Number.MAX_SAFE_INTEGER))
    throw new BlockFormatError('field_malformed', 'parentSlot is no slot');
  if (!isCount(block.blockTime ?? 0, BLOCK_TIME_MAX))
    throw new BlockFormatError('field_malformed', 'blockTime is no time in seconds since 1970');
  if (block.transactions.length > 0 && block.transactions.every(isAccountsOnly))
    throw new BlockFormatError(
      'details_unusable',
      'the transactions list accounts without instructions: ask getBlock for transactionDetails "full"',
    );
  return block as RawBlock;
};

const isCount = (value: unknown, most: number): boolean =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value <= most;

/** `transactionDetails: "accounts"` */
const isAccountsOnly = (raw: unknown): boolean =>
  typeof raw === 'object' &&
  raw !== null &&
  'transaction' in raw &&
  typeof raw.transaction === 'object' &&
  raw.transaction !== null &&
  'accountKeys' in raw.transaction &&
  !('message' in raw.transaction);

const decodeTransactions = (
  transactions: readonly RawTransaction[],
  options: TransactionOptions,
  knowledge: BlockKnowledge,
): Outcome[] => {
  const outcomes: Outcome[] = [];
  for (let i = 0; i < transactions.length; i++)
    outcomes.push(tryDecode(transactions[i], i, options, knowledge));
  // Blocks of 2020: a mint may be named only after the transfer that leaves it out.
  for (let i = 0; i < outcomes.length; i++) {
    const outcome = outcomes[i];
    if (outcome !== undefined && 'movements' in outcome && outcome.exempt === 'asset_unknown')
      outcomes[i] = tryDecode(transactions[i], i, options, knowledge);
  }
  return outcomes;
};

const tryDecode = (
  raw: RawTransaction | undefined,
  txIndex: number,
  options: TransactionOptions,
  knowledge: BlockKnowledge,
): Outcome => {
  try {
    if (typeof raw !== 'object' || raw === null)
      throw new TransactionFormatError('broken_transaction', 'the transaction is no object');
    return decodeTransaction(raw, txIndex, options, knowledge);
  } catch (error) {
    // Whatever a malformed transaction runs into, its neighbours are sound.
    const code = error instanceof TransactionFormatError ? error.code : 'broken_transaction';
    return { code, txIndex, message: shorten(error instanceof Error ? error.message : String(error)) };
  }
};

/** A message may quote what a block says, however long that is. */
const shorten = (message: string): string => message.slice(0, MESSAGE_LENGTH_MAX);

const collect = (outcomes: readonly Outcome[]): Collected & { voteFeesRaw: bigint } => {
  const all = { ...collectNothing(), voteFeesRaw: 0n };
  for (const [txIndex, outcome] of outcomes.entries()) {
    if ('code' in outcome) {
      all.problems.push(outcome);
      collectExempt(all, outcome.code, txIndex);
      continue;
    }
    collectRows(all, outcome);
    if (outcome.voteFeeRaw > 0n) all.voteFeesRaw += outcome.voteFeeRaw;
    if (outcome.exempt !== null) collectExempt(all, outcome.exempt, txIndex);
    if (outcome.problem !== null) all.problems.push({ ...outcome.problem, txIndex });
  }
  return all;
};

const rewardsOf = (block: RawBlock, problems: DecodeProblem[]): Movement[] => {
  const { rewards } = block;
  if (rewards === undefined || rewards === null) return [];
  try {
    if (!Array.isArray(rewards)) throw new TransactionFormatError('bad_rewards', 'the rewards are no list');
    return decodeRewards(rewards);
  } catch (error) {
    const message = shorten(error instanceof Error ? error.message : String(error));
    problems.push({ code: 'bad_rewards', txIndex: null, message });
    return [];
  }
};

/** Decimals of the assets that moved, as checked instructions and token balances name them. */
const assetsOf = (movements: readonly Movement[], { decimals }: BlockKnowledge): AssetFact[] => {
  const moved = new Set<string>();
  for (const { asset } of movements) if (asset !== NATIVE) moved.add(asset);
  if (moved.size === 0) return [];
  const facts: AssetFact[] = [];
  for (const asset of moved) {
    const places = decimals.get(asset);
    if (places !== undefined) facts.push({ asset, decimals: places });
  }
  return facts;
};
