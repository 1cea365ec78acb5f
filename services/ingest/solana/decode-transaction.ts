import type { BlockTransaction } from '../../investigate/model/block.ts';
import type { BridgeTransfer } from '../../investigate/model/bridge-transfer.ts';
import { type Movement, NATIVE, type Swap } from '../../investigate/model/movement.ts';
import { deriveSwaps } from '../derive-swaps.ts';
import type { BlockKnowledge } from './block-knowledge.ts';
import { findBridgeTransfers } from './bridges/find-bridge-transfers.ts';
import { checkedAddress } from './checked-address.ts';
import { emitMovements } from './emit-movements.ts';
import { exactAmount } from './exact-integer.ts';
import { Ledger } from './ledger.ts';
import { type PlainTransaction, readPlainVote, readPlainWire } from './plain-transaction.ts';
import type { RawMeta, RawTransaction } from './raw-block.ts';
import { findWrappedTransfers, settleLamports } from './settle-lamports.ts';
import { settleTokens } from './settle-tokens.ts';
import { TransactionFormatError } from './transaction-format-error.ts';
import {
  readTransaction,
  replayInstructions,
  signatureOf,
  signersOf,
  type TransactionParts,
} from './transaction-parts.ts';
import { votesOnly } from './voting.ts';

export type VoteFees = 'each' | 'sum';

export type DecodedTransaction = {
  readonly transaction: BlockTransaction;
  readonly movements: readonly Movement[];
  readonly swaps: readonly Swap[];
  readonly bridgeTransfers: readonly BridgeTransfer[];
  /** Fee left out of the movements, because votes are summed. */
  readonly voteFeeRaw: bigint;
  /** Why the sum rule cannot hold here; null where it does. */
  readonly exempt: string | null;
  readonly problem: { readonly code: string; readonly message: string } | null;
};

/**
 * Decodes one transaction.
 * @throws TransactionFormatError when it contradicts itself; nothing of it is to be used then
 */
export const decodeTransaction = (
  raw: RawTransaction,
  txIndex: number,
  { votes, chain }: { readonly votes: VoteFees; readonly chain: string },
  knowledge: BlockKnowledge,
): DecodedTransaction => {
  const { meta } = raw;
  if (meta === null || meta === undefined)
    throw new TransactionFormatError('meta_missing', 'the node kept no status of this transaction');
  const vote = readPlainVote(raw, meta);
  if (vote !== null) return decodePlain(vote, txIndex, votes);
  const parts = readTransaction(raw, meta);
  const plain = readPlainWire(parts, meta);
  if (plain !== null) return decodePlain(plain, txIndex, votes);
  checkBalances(parts, meta);
  const sender = checkedAddress(parts.keys.at(0));
  const isSummed = votes === 'sum' && votesOnly(parts);
  const feeRaw = exactAmount(meta.fee);
  const movements: Movement[] = [];
  if (feeRaw > 0n && !isSummed) movements.push(feeMovement(txIndex, sender, feeRaw));
  const voteFeeRaw = isSummed ? feeRaw : 0n;
  if (hasFailed(meta)) {
    if (costMore(meta, feeRaw)) chargeFailed(parts, meta, knowledge, feeRaw, txIndex, movements);
    const transaction = { txIndex, hash: signatureOf(parts), sender };
    return {
      transaction,
      movements,
      swaps: NO_SWAPS,
      bridgeTransfers: NO_BRIDGES,
      voteFeeRaw,
      exempt: null,
      problem: null,
    };
  }
  const { exempt, problem, ledger } = replay(parts, meta, knowledge, feeRaw, txIndex, movements);
  const transaction = { txIndex, hash: signatureOf(parts), sender };
  const found = findBridgeTransfers(ledger.bridgeCalls, {
    chain,
    txIndex,
    movements,
    handsOver: votes === 'sum',
    lines: meta.logMessages,
  });
  const initiators = signersOf(parts);
  return {
    transaction,
    movements: found.movements,
    swaps: deriveSwaps(found.movements, { initiators, wrappedNative: null }),
    bridgeTransfers: found.bridgeTransfers,
    voteFeeRaw,
    exempt,
    problem: problem ?? found.problem,
  };
};

const exemptReason = (ledger: Ledger): string | null => {
  if (ledger.hasConfidentialTransfer) return 'confidential_transfer';
  return ledger.hasUnlistedTokens() ? 'token_balances_absent' : null;
};

const UNEXPLAINED = {
  code: 'balance_unexplained',
  message: 'token balances changed without an instruction that says so; they were paired by difference',
};
const NO_SWAPS: readonly Swap[] = [];
const NO_BRIDGES: readonly BridgeTransfer[] = [];
const NO_MOVEMENTS: readonly Movement[] = [];

const feeMovement = (txIndex: number, payer: string, amountRaw: bigint): Movement => ({
  txIndex,
  index: 0,
  kind: 'fee',
  from: payer,
  to: null,
  asset: NATIVE,
  amountRaw,
  authority: null,
});

const hasFailed = ({ err, status }: RawMeta): boolean =>
  (err !== null && err !== undefined) || (status?.Err !== undefined && status.Err !== null);

const ACCOUNTS_MAX = 256;

const checkBalances = ({ keys }: TransactionParts, { preBalances, postBalances }: RawMeta): void => {
  if (!Array.isArray(preBalances) || !Array.isArray(postBalances))
    throw new TransactionFormatError('balances_missing', 'the transaction has no balances');
  if (preBalances.length !== keys.count || postBalances.length !== keys.count)
    throw new TransactionFormatError(
      'balances_mismatch',
      `${keys.count} account keys, but ${preBalances.length} and ${postBalances.length} balances`,
    );
  if (keys.count > ACCOUNTS_MAX)
    throw new TransactionFormatError(
      'broken_transaction',
      `${keys.count} accounts are more than one byte numbers`,
    );
  if (keys.count === 0)
    throw new TransactionFormatError('broken_transaction', 'the transaction has no accounts');
};

/** Whether a failed transaction took more than its fee, as rent did until 2025. */
const costMore = ({ preBalances, postBalances }: RawMeta, feeRaw: bigint): boolean => {
  for (let i = 1; i < preBalances.length; i++) if (preBalances[i] !== postBalances[i]) return true;
  return exactAmount(preBalances[0]) - exactAmount(postBalances[0]) !== feeRaw;
};

const chargeFailed = (
  parts: TransactionParts,
  meta: RawMeta,
  knowledge: BlockKnowledge,
  feeRaw: bigint,
  txIndex: number,
  movements: Movement[],
): void => {
  const ledger = new Ledger(parts.keys, meta, knowledge);
  ledger.shiftLamports(0, -feeRaw);
  if (meta.rewards?.length) ledger.chargeRent(meta.rewards);
  settleLamports(ledger);
  emitMovements(ledger, txIndex, movements);
};

const decodePlain = (
  { hash, sender, feeRaw, isVote }: PlainTransaction,
  txIndex: number,
  votes: VoteFees,
): DecodedTransaction => {
  const isSummed = votes === 'sum' && isVote;
  return {
    transaction: { txIndex, hash, sender },
    movements: isSummed ? NO_MOVEMENTS : [feeMovement(txIndex, sender, feeRaw)],
    swaps: NO_SWAPS,
    bridgeTransfers: NO_BRIDGES,
    voteFeeRaw: isSummed ? feeRaw : 0n,
    exempt: null,
    problem: null,
  };
};

const replay = (
  parts: TransactionParts,
  meta: RawMeta,
  knowledge: BlockKnowledge,
  feeRaw: bigint,
  txIndex: number,
  movements: Movement[],
): Pick<DecodedTransaction, 'exempt' | 'problem'> & { readonly ledger: Ledger } => {
  const ledger = new Ledger(parts.keys, meta, knowledge);
  ledger.shiftLamports(0, -feeRaw);
  if (meta.rewards?.length) ledger.chargeRent(meta.rewards);
  replayInstructions(ledger, parts);
  const hasUnknownMint = ledger.rows.some((row) => row.asset === null && !row.isLamports);
  if (hasUnknownMint) findWrappedTransfers(ledger);
  const hasUnexplained = settleTokens(ledger);
  settleLamports(ledger);
  emitMovements(ledger, txIndex, movements);
  if (!ledger.statesOwners) ledger.remember();
  if (hasUnknownMint && ledger.rows.some((row) => row.asset === null && !row.isLamports)) {
    const message = 'a token transfer names no mint, and the block does not say it elsewhere';
    const problem = { code: 'asset_unknown', message };
    return { exempt: 'asset_unknown', problem, ledger };
  }
  return { exempt: exemptReason(ledger), problem: hasUnexplained ? UNEXPLAINED : null, ledger };
};
