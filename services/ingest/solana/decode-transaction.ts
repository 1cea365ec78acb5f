import type { BlockTransaction } from '../../investigate/model/block.ts';
import type { BridgeTransfer } from '../../investigate/model/bridge-transfer.ts';
import type { ControlEvent } from '../../investigate/model/control-event.ts';
import { type Movement, NATIVE, type Swap } from '../../investigate/model/movement.ts';
import { deriveSwaps } from '../derive-swaps.ts';
import { findBridgeTransfers } from './bridges/find-bridge-transfers.ts';
import { findCalled } from './control/find-called.ts';
import { checkedAddress } from './encoding/checked-address.ts';
import { exactAmount } from './encoding/exact-integer.ts';
import { refuseUnknownVersion } from './encoding/known-version.ts';
import { type PlainTransaction, readPlainVote, readPlainWire } from './encoding/plain-transaction.ts';
import type { RawMeta, RawTransaction } from './encoding/raw-block.ts';
import {
  readTransaction,
  signatureOf,
  signerCountOf,
  signersOf,
  type TransactionParts,
} from './encoding/transaction-parts.ts';
import { votesOnly } from './encoding/voting.ts';
import { replayInstructions } from './instructions/replay-instructions.ts';
import type { BlockKnowledge } from './ledger/block-knowledge.ts';
import { emitMovements } from './ledger/emit-movements.ts';
import { Ledger } from './ledger/ledger.ts';
import type { Row } from './ledger/row.ts';
import { findWrappedTransfers, settleLamports } from './ledger/settle-lamports.ts';
import { settleTokens } from './ledger/settle-tokens.ts';
import { listUnlisted } from './ledger/unlisted-accounts.ts';
import { TransactionFormatError } from './transaction-format-error.ts';

export type VoteFees = 'each' | 'sum';

export type TransactionOptions = {
  readonly chain: string;
  /**
   * `each`: rows as the block has them, with a fee for every vote. `sum`: as events have them, with votes' fees
   * summed in `voteFeesRaw`, and bridges' takings handed to them first.
   */
  readonly votes: VoteFees;
};

export type DecodedTransaction = {
  readonly transaction: BlockTransaction;
  readonly movements: readonly Movement[];
  readonly swaps: readonly Swap[];
  readonly bridgeTransfers: readonly BridgeTransfer[];
  readonly controlEvents: readonly ControlEvent[];
  /** Called programs, once per instruction; none if it failed. */
  readonly called: readonly string[];
  /** Nested calls are not recorded, and may have changed control. */
  readonly isOuterOnly: boolean;
  /** The fee left out of the movements, because votes are summed. */
  readonly voteFeeRaw: bigint;
  /** Why the sum rule cannot hold; null if it does. */
  readonly exempt: string | null;
  readonly problem: { readonly code: string; readonly message: string } | null;
};

/**
 * Decodes one transaction. @throws TransactionFormatError if it contradicts itself; nothing of it may be used then
 */
export const decodeTransaction = (
  raw: RawTransaction,
  txIndex: number,
  { votes, chain }: TransactionOptions,
  knowledge: BlockKnowledge,
): DecodedTransaction => {
  const { meta } = raw;
  refuseUnknownVersion(raw.version);
  if (meta === null || meta === undefined)
    throw new TransactionFormatError('meta_missing', 'the node has no status (meta) of this transaction');
  const vote = readPlainVote(raw, meta);
  if (vote !== null) return payFee(vote, txIndex, votes);
  const parts = readTransaction(raw, meta);
  const plain = readPlainWire(parts, meta);
  if (plain !== null)
    return {
      ...payFee(plain, txIndex, votes),
      called: plain.isVote || hasFailed(meta) ? [] : findCalled(parts),
    };
  return decodeParts(parts, meta, txIndex, { votes, chain }, knowledge);
};

const decodeParts = (
  parts: TransactionParts,
  meta: RawMeta,
  txIndex: number,
  { votes, chain }: TransactionOptions,
  knowledge: BlockKnowledge,
): DecodedTransaction => {
  checkBalances(parts, meta);
  const sender = checkedAddress(parts.keys.at(0));
  const feeRaw = exactAmount(meta.fee);
  const isVote = votesOnly(parts);
  const paid = payFee({ hash: signatureOf(parts), sender, feeRaw, isVote }, txIndex, votes);
  const movements = [...paid.movements];
  if (hasFailed(meta)) {
    if (costMore(meta, feeRaw)) settle(openLedger(parts, meta, knowledge, feeRaw), txIndex, movements);
    return { ...paid, movements };
  }
  const ledger = openLedger(parts, meta, knowledge, feeRaw);
  const { exempt, problem } = replay(ledger, parts, txIndex, movements);
  const { logMessages: lines } = meta;
  const bridging = { chain, txIndex, movements, handsOver: votes === 'sum', lines };
  const found = findBridgeTransfers(ledger.bridgeCalls, bridging);
  return {
    ...paid,
    movements: found.movements,
    controlEvents: (ledger.controls ?? []).map((draft, index) => checkControl({ txIndex, index, ...draft })),
    called: findCalled(parts),
    isOuterOnly: !meta.innerInstructions,
    swaps: deriveSwaps(found.movements, { initiators: signersOf(parts), wrappedNative: null }),
    bridgeTransfers: found.bridgeTransfers,
    exempt,
    problem: problem ?? found.problem,
  };
};

const exemptReason = (ledger: Ledger): string | null => {
  if (ledger.hidden !== null) return ledger.hidden;
  return ledger.hasUnlistedTokens() ? 'token_balances_absent' : null;
};

const UNEXPLAINED = {
  code: 'balance_unexplained',
  message: 'token balances changed without an instruction that says so; they were paired by difference',
};
const NO_SWAPS: readonly Swap[] = [];
const NO_BRIDGES: readonly BridgeTransfer[] = [];
const NO_MOVEMENTS: readonly Movement[] = [];
const NO_CONTROL: readonly ControlEvent[] = [];
const NO_CALLS: readonly string[] = [];

/** @throws TransactionFormatError if a party is no address */
const checkControl = (event: ControlEvent): ControlEvent => {
  checkedAddress(event.subject);
  for (const party of [event.holder, event.party]) if (party !== null) checkedAddress(party);
  if (event.asset !== null && event.asset !== NATIVE) checkedAddress(event.asset);
  return event;
};

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

const openLedger = (
  parts: TransactionParts,
  meta: RawMeta,
  knowledge: BlockKnowledge,
  feeRaw: bigint,
): Ledger => {
  const ledger = new Ledger(parts.keys, meta, knowledge);
  ledger.signerCount = signerCountOf(parts);
  ledger.shiftLamports(0, -feeRaw);
  if (meta.rewards?.length) ledger.chargeRent(meta.rewards);
  return ledger;
};

const settle = (ledger: Ledger, txIndex: number, movements: Movement[]): void => {
  settleLamports(ledger);
  emitMovements(ledger, txIndex, movements);
};

/** A transaction of which only the fee is known. */
const payFee = (
  { hash, sender, feeRaw, isVote }: PlainTransaction,
  txIndex: number,
  votes: VoteFees,
): DecodedTransaction => {
  const isSummed = votes === 'sum' && isVote;
  return {
    transaction: { txIndex, hash, sender },
    movements: isSummed || feeRaw === 0n ? NO_MOVEMENTS : [feeMovement(txIndex, sender, feeRaw)],
    swaps: NO_SWAPS,
    bridgeTransfers: NO_BRIDGES,
    controlEvents: NO_CONTROL,
    called: NO_CALLS,
    isOuterOnly: false,
    voteFeeRaw: isSummed ? feeRaw : 0n,
    exempt: null,
    problem: null,
  };
};

const replay = (
  ledger: Ledger,
  parts: TransactionParts,
  txIndex: number,
  movements: Movement[],
): Pick<DecodedTransaction, 'exempt' | 'problem'> => {
  replayInstructions(ledger, parts);
  listUnlisted(ledger);
  const hadUnknownMint = ledger.rows.some(isOfUnknownMint);
  if (hadUnknownMint) findWrappedTransfers(ledger);
  const hasUnexplained = settleTokens(ledger);
  settle(ledger, txIndex, movements);
  if (!ledger.statesOwners) ledger.remember();
  if (hadUnknownMint && ledger.rows.some(isOfUnknownMint)) {
    const message = 'a token transfer names no mint, and the block does not say it elsewhere';
    return { exempt: 'asset_unknown', problem: { code: 'asset_unknown', message } };
  }
  return { exempt: exemptReason(ledger), problem: hasUnexplained ? UNEXPLAINED : null };
};

const isOfUnknownMint = ({ asset, isLamports }: Row): boolean => asset === null && !isLamports;
