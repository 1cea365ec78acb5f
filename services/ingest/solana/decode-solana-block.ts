import type { AssetFact, DecodedBlock, DecodeProblem } from '../../investigate/model/block.ts';
import { type Movement, NATIVE } from '../../investigate/model/movement.ts';
import { type Collected, collectExempt, collectNothing, collectRows } from '../collected.ts';
import { CallCounts } from '../count-calls.ts';
import { checkBalanceRun } from './balance-run.ts';
import { checkBlock } from './check-block.ts';
import { decodeRewards } from './decode-rewards.ts';
import { type DecodedTransaction, decodeTransaction, type TransactionOptions } from './decode-transaction.ts';
import type { RawBlock, RawTransaction } from './encoding/raw-block.ts';
import { feesUnrewarded } from './fee-rewards.ts';
import { type BlockKnowledge, knownBefore, newBlockKnowledge } from './ledger/block-knowledge.ts';
import { TransactionFormatError } from './transaction-format-error.ts';

type SolanaBlockInput = {
  /** The parsed `result` of `getBlock`, best from `parseSolanaBlock`, which keeps large lamports exact. */
  readonly block: unknown;
  readonly slot: number;
} & TransactionOptions;

export const TRANSACTION_REPEATED = 'transaction_repeated';

const MESSAGE_LENGTH_MAX = 300;

type Outcome = DecodedTransaction | DecodeProblem;

/**
 * Decodes a block into movements. A transaction that cannot be decoded is a problem and the rest stands. @throws
 * BlockFormatError if the input is no block, or lacks what decoding needs
 */
export const decodeSolanaBlock = ({ block: input, slot, chain, votes }: SolanaBlockInput): DecodedBlock => {
  const block = checkBlock(input);
  const knowledge = newBlockKnowledge(block.blockTime ?? null);
  const { outcomes, problem } = leaveRepeated(
    block.transactions,
    decodeTransactions(block.transactions, { votes, chain }, knowledge),
  );
  const collected = collect(outcomes);
  for (const event of countCalls(outcomes).toEvents(collected.controlEvents))
    collected.controlEvents.push(event);
  if (problem !== null) collected.problems.push(problem);
  const unrewarded = feesUnrewarded(block.rewards, outcomes.some(hasPaid));
  if (unrewarded !== null) collected.problems.push(unrewarded);
  for (const reward of rewardsOf(block, collected.problems)) collected.movements.push(reward);
  return {
    chain,
    number: slot,
    hash: block.blockhash,
    parentHash: block.previousBlockhash,
    parentNumber: block.parentSlot,
    timeUnixSeconds: block.blockTime ?? null,
    ...collected,
    controlCoverage: outcomes.every(tellsCalls) ? 'full' : 'outer',
    assets: assetsOf(collected.movements, knowledge),
  };
};

const decodeTransactions = (
  transactions: readonly RawTransaction[],
  options: TransactionOptions,
  knowledge: BlockKnowledge,
): Outcome[] => {
  const decodeAll = (known: BlockKnowledge) =>
    transactions.map((raw, txIndex) => tryDecode(raw, txIndex, options, known));
  const outcomes = decodeAll(knowledge);
  if (!outcomes.some(lacksMint)) return outcomes;
  // Blocks of 2020 may name a mint only after a transfer that omits it.
  return decodeAll(knownBefore(knowledge));
};

/** A repeated transaction happened once: its other place is a problem. */
const leaveRepeated = (
  transactions: readonly RawTransaction[],
  outcomes: readonly Outcome[],
): { readonly outcomes: readonly Outcome[]; readonly problem: DecodeProblem | null } => {
  const hashes = outcomes.map((outcome) => ('code' in outcome ? null : outcome.transaction.hash));
  const { repeated, problem } = checkBalanceRun(transactions, hashes);
  if (repeated.size === 0) return { outcomes, problem };
  const told = outcomes.map((outcome, txIndex) =>
    repeated.has(txIndex) ? describeRepeated(txIndex, hashes[txIndex] ?? '') : outcome,
  );
  return { outcomes: told, problem };
};

const describeRepeated = (txIndex: number, hash: string): DecodeProblem => ({
  code: TRANSACTION_REPEATED,
  txIndex,
  message: `the block lists ${hash} more than once; it counts once`,
});

/** Listed because it paid a fee, and did not fail. */
const countCalls = (outcomes: readonly Outcome[]): CallCounts => {
  const calls = new CallCounts();
  for (const outcome of outcomes) {
    if ('code' in outcome || outcome.movements.length === 0) continue;
    const { transaction, called } = outcome;
    for (const program of called) calls.add(program, transaction.sender, transaction);
  }
  return calls;
};

const tellsCalls = (outcome: Outcome): boolean =>
  'code' in outcome ? outcome.code === TRANSACTION_REPEATED : !outcome.isOuterOnly;

const hasPaid = (outcome: Outcome): boolean =>
  'movements' in outcome && (outcome.voteFeeRaw > 0n || outcome.movements[0]?.kind === 'fee');

const lacksMint = (outcome: Outcome): boolean => 'movements' in outcome && outcome.exempt === 'asset_unknown';

const tryDecode = (
  raw: RawTransaction | undefined,
  txIndex: number,
  options: TransactionOptions,
  knowledge: BlockKnowledge,
): Outcome => {
  try {
    if (typeof raw !== 'object' || raw === null)
      throw new TransactionFormatError('broken_transaction', 'the transaction is not an object');
    return decodeTransaction(raw, txIndex, options, knowledge);
  } catch (error) {
    // A malformed transaction must not affect its neighbours.
    const code = error instanceof TransactionFormatError ? error.code : 'broken_transaction';
    return { code, txIndex, message: shorten(error instanceof Error ? error.message : String(error)) };
  }
};

/** A message may quote the block, however long that is. */
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
    if (!Array.isArray(rewards))
      throw new TransactionFormatError('bad_rewards', 'the rewards are not a list');
    return decodeRewards(rewards);
  } catch (error) {
    const message = shorten(error instanceof Error ? error.message : String(error));
    problems.push({ code: 'bad_rewards', txIndex: null, message });
    return [];
  }
};

/** Decimals of the moved assets, from checked instructions and token balances. */
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
