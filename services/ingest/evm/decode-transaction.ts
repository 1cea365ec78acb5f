import type { BlockTransaction, DecodeProblem } from '../../investigate/model/block.ts';
import type { Movement, Swap } from '../../investigate/model/movement.ts';
import { BlockFormatError } from '../block-format-error.ts';
import { deriveSwaps } from '../derive-swaps.ts';
import type { ChainRules } from './chain-rules.ts';
import { chargeFees, readType } from './charge-fees.ts';
import { decodeLogs, type LogFindings } from './decode-logs.ts';
import { findOutcome, type Outcome, ranNoCode } from './find-outcome.ts';
import {
  type RawObject,
  readAddress,
  readArray,
  readHash,
  readObject,
  readQuantity,
  readQuantityOr,
} from './read-hex.ts';
import { TransactionRows } from './transaction-rows.ts';
import { type CallTrace, type ValueMove, walkCallTrace } from './walk-call-trace.ts';

export type TransactionContext = {
  readonly rules: ChainRules;
  readonly blockNumber: number;
  readonly miner: string;
  readonly baseFeeRaw: bigint | null;
  readonly cancun: boolean;
  /** Whether the node gave traces for the block. */
  readonly traced: boolean;
};

export type RawTransaction = {
  readonly txIndex: number;
  readonly tx: unknown;
  readonly receipt: unknown;
  /** A callTracer result; undefined where there is none. */
  readonly trace: unknown;
};

export type DecodedTransaction = {
  readonly transaction: BlockTransaction;
  readonly movements: readonly Movement[];
  readonly swaps: readonly Swap[];
  readonly problems: readonly DecodeProblem[];
  /** Reasons why the sum rule cannot hold. */
  readonly exempt: readonly string[];
};

type Work = {
  readonly tx: RawObject;
  readonly receipt: RawObject;
  readonly sender: string;
  readonly rows: TransactionRows;
  readonly context: TransactionContext;
  readonly exempt: Set<string>;
  report(code: string, message: string): void;
};

/**
 * The rows of one transaction, in this order: coins issued to its sender, value in the order of execution, token logs
 * in their order, fees. What could not be decoded is a problem and a reason for exemption; the rest stands. Throws
 * `BlockFormatError` where transaction or receipt are so broken that nothing stands.
 */
export const decodeTransaction = (raw: RawTransaction, context: TransactionContext): DecodedTransaction => {
  const { txIndex } = raw;
  const tx = readObject(raw.tx, 'transaction');
  const receipt = readObject(raw.receipt, 'receipt');
  const sender = readAddress(tx.from, 'from');
  const transaction = { txIndex, hash: readHash(tx.hash, 'hash'), sender };
  const problems: DecodeProblem[] = [];
  const report = (code: string, message: string): void => void problems.push({ code, txIndex, message });
  const rows = new TransactionRows(txIndex);
  const work: Work = { tx, receipt, sender, rows, context, exempt: new Set(), report };

  const trace = readTrace(raw.trace, work);
  const outcome = findOutcome(tx, receipt, trace === null ? null : trace.failed);
  addDeposit(work);
  const logs = addEffects(work, trace, outcome);
  const fee = chargeFees(tx, receipt, sender, { ...context, rows, feeLogTo: logs.feeTo });
  if (fee !== 'charged') work.exempt.add(fee);
  if (fee === 'fee_unknown') report(fee, 'neither receipt nor transaction says the price of gas or blobs');
  const opaque = context.rules.opaqueTypes[readType(tx)];
  if (opaque !== undefined) work.exempt.add(opaque);
  const swaps = findSwaps(work, logs.smartAccounts);
  return { transaction, movements: rows.movements, swaps, problems, exempt: [...work.exempt] };
};

const readTrace = (
  raw: unknown,
  { tx, receipt, sender, context, exempt, report }: Work,
): CallTrace | null => {
  if (raw === undefined) {
    if (context.traced) {
      exempt.add('trace_missing');
      report('trace_missing', 'the block is traced, this transaction is not');
    }
    return null;
  }
  try {
    const top = readObject(raw, 'trace');
    if (readAddress(top.from, 'from of the trace') !== sender)
      throw new BlockFormatError('trace_contradicts', 'the trace begins with another sender');
    if (readQuantityOr(top.value, 'value of the trace', 0n) !== readQuantity(tx.value, 'value'))
      throw new BlockFormatError('trace_contradicts', 'the trace begins with another value');
    const trace = walkCallTrace(top, context);
    const status = readQuantityOr(receipt.status, 'status', null);
    if (status !== null && (status === 0n) !== trace.failed)
      throw new BlockFormatError('trace_contradicts', 'trace and receipt disagree on whether it failed');
    return trace;
  } catch (error) {
    if (!(error instanceof BlockFormatError)) throw error;
    exempt.add('trace_malformed');
    report(error.code === 'trace_contradicts' ? error.code : 'trace_malformed', error.message);
    return null;
  }
};

/** Kept when the transaction fails: what a deposit brings along is issued before it runs. */
const addDeposit = ({ tx, sender, rows, context }: Work): void => {
  const field = context.rules.depositTypes[readType(tx)];
  if (field !== undefined) rows.addNative('mint', null, sender, readQuantityOr(tx[field], field, 0n));
};

/** Value and token rows: only of a transaction that took effect; one that may have failed moves nothing. */
const addEffects = (work: Work, trace: CallTrace | null, outcome: Outcome): LogFindings => {
  const { rows, sender, context, exempt, report } = work;
  const tokenRows = new TransactionRows(null);
  const calls = trace?.tokenCalls ?? null;
  // A failure keeps no log but the chain's own, which may name who gets the fee.
  const logs = decodeLogs(readArray(work.receipt.logs, 'logs'), {
    rules: context.rules,
    rows: tokenRows,
    sender,
    calls,
  });
  reportLogs(work, logs);
  if (outcome === 'unknown') {
    exempt.add('status_unknown');
    report('status_unknown', 'the receipt has no status, and all of the gas was used');
  }
  if (outcome !== 'succeeded') return logs;
  for (const { from, to, weiRaw } of trace?.moves ?? movesWithoutTrace(work, logs)) {
    rows.addNative(to === null ? 'burn' : 'transfer', from, to, weiRaw);
  }
  for (const { kind, from, to, asset, amountRaw, authority } of tokenRows.movements) {
    rows.add(kind, from, to, asset, amountRaw, authority);
  }
  return logs;
};

/** The transaction's own value, and what the chain's own logs tell of the rest. */
const movesWithoutTrace = (work: Work, { nativeMoves }: LogFindings): readonly ValueMove[] => {
  const { tx, receipt, sender, context, exempt } = work;
  const weiRaw = readQuantity(tx.value, 'value');
  const own = weiRaw === 0n ? null : { from: sender, to: readTarget(tx, receipt), weiRaw };
  if (typeof context.rules.nativeLogs?.transferTopic !== 'string') {
    if (!context.traced && !ranNoCode(tx, receipt)) exempt.add('no_traces');
    return own === null ? [] : [own];
  }
  // The client's logs leave out what a self-destruct moves.
  if (!ranNoCode(tx, receipt)) exempt.add('value_from_logs_only');
  return own === null || nativeMoves.length > 0 ? nativeMoves : [own];
};

const readTarget = (tx: RawObject, receipt: RawObject): string =>
  tx.to === null || tx.to === undefined
    ? readAddress(receipt.contractAddress, 'contractAddress')
    : readAddress(tx.to, 'to');

const reportLogs = ({ exempt, report }: Work, { malformed, nonstandard }: LogFindings): void => {
  if (malformed > 0) {
    exempt.add('log_malformed');
    report('log_malformed', `${malformed} logs are malformed`);
  }
  if (nonstandard.length === 0) return;
  exempt.add('transfer_log_nonstandard');
  const contracts = [...new Set(nonstandard)].slice(0, 3).join(', ');
  report(
    'transfer_log_nonstandard',
    `${nonstandard.length} Transfer logs are not in ERC-20 form, from ${contracts}`,
  );
};

/**
 * The sender's swaps, and its smart accounts'. Where the sender only paid the fee, the contract it called acts for
 * somebody: a bot or a multisig wallet swaps in its own name.
 */
const findSwaps = (
  { tx, sender, rows, context }: Work,
  smartAccounts: readonly string[],
): readonly Swap[] => {
  const { wrappedNative } = context.rules;
  const { movements } = rows;
  const swaps = deriveSwaps(movements, { initiators: [sender, ...smartAccounts], wrappedNative });
  if (swaps.length > 0 || tx.to === null || tx.to === undefined) return swaps;
  const target = readAddress(tx.to, 'to');
  const took = movements.some(({ from, to, kind }) => kind !== 'fee' && (from === sender || to === sender));
  return took || target === sender ? swaps : deriveSwaps(movements, { initiators: [target], wrappedNative });
};
