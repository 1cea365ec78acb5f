import type { BlockTransaction, DecodeProblem } from '../../investigate/model/block.ts';
import type { BridgeTransfer } from '../../investigate/model/bridge-transfer.ts';
import type { ControlEvent } from '../../investigate/model/control-event.ts';
import type { Movement, Swap } from '../../investigate/model/movement.ts';
import { BlockFormatError } from '../block-format-error.ts';
import { deriveSwaps } from '../derive-swaps.ts';
import type { AddressBook } from './address-book.ts';
import { decodeBridgeLogs } from './bridges/decode-bridge-logs.ts';
import type { ChainRules } from './chain-rules.ts';
import { chargeFees, readType } from './charge-fees.ts';
import { findCalled } from './control/find-called.ts';
import { readControlEvents } from './control/read-control-events.ts';
import { decodeTokenLogs, type TokenLogFindings } from './decode-token-logs.ts';
import { findOutcome, type Outcome, ranNoCode, readStatus } from './find-outcome.ts';
import { type RawObject, readArray, readHash, readObject, readQuantity, readQuantityOr } from './read-hex.ts';
import { type NativeLogs, readNativeLogs } from './read-native-logs.ts';
import { ticketEscrow } from './ticket-escrow.ts';
import { TransactionRows } from './transaction-rows.ts';
import { type CallTrace, type ValueMove, walkCallTrace } from './walk-call-trace.ts';

export type TransactionContext = {
  readonly chain: string;
  readonly rules: ChainRules;
  readonly addresses: AddressBook;
  readonly blockNumber: number;
  readonly miner: string;
  readonly baseFeeRaw: bigint | null;
  readonly cancun: boolean;
  readonly amsterdam: boolean;
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
  readonly bridgeTransfers: readonly BridgeTransfer[];
  readonly controlEvents: readonly ControlEvent[];
  /** The contract that its sender called; null if it failed, created a contract or ran no code. */
  readonly called: string | null;
  readonly problems: readonly DecodeProblem[];
  /** Reasons why the sum rule cannot hold. */
  readonly exempt: readonly string[];
};

type Work = {
  readonly txIndex: number;
  readonly hash: string;
  readonly tx: RawObject;
  readonly type: string;
  readonly receipt: RawObject;
  readonly sender: string;
  readonly rows: TransactionRows;
  readonly context: TransactionContext;
  readonly problems: DecodeProblem[];
  readonly exempt: string[];
};

/**
 * The rows of one transaction, in this order: coins issued to its sender, value in execution order, token logs,
 * fees. What cannot be decoded is a problem and an exemption; the rest stands. Throws `BlockFormatError` if
 * transaction or receipt are unusable.
 */
export const decodeTransaction = (raw: RawTransaction, context: TransactionContext): DecodedTransaction => {
  const work = beginWork(raw, context);
  const { txIndex, hash, receipt, sender, rows, problems, exempt } = work;
  const trace = readTrace(raw.trace, work);
  addDeposit(work);
  const logs = readArray(receipt.logs, 'logs');
  const native = readNativeLogs(logs, context.rules.nativeLogs, context.addresses);
  // The client logs a fee of failed transactions, too.
  const hasLogs = logs.length > (native.feeTo === null ? 0 : 1);
  const outcome = judge(work, trace, hasLogs);
  const isDone = outcome === 'succeeded';
  if (outcome === 'failed' && hasLogs)
    report(work, 'status_contradicts', 'the transaction failed, and a failure leaves no logs');
  const effects = isDone ? addEffects(work, trace, logs, native) : effectsOfFailure(work);
  addFees(work, native.feeTo);
  const opaque = context.rules.opaqueTypes[work.type];
  if (opaque !== undefined) exempt.push(opaque);
  const transaction = { txIndex, hash, sender };
  const called = isDone ? findCalled(work, context.addresses, hasLogs) : null;
  return { transaction, movements: rows.movements, ...effects, called, problems, exempt };
};

const beginWork = ({ txIndex, ...raw }: RawTransaction, context: TransactionContext): Work => {
  const tx = readObject(raw.tx, 'transaction');
  return {
    txIndex,
    hash: readHash(tx.hash, 'hash'),
    tx,
    type: readType(tx),
    receipt: readObject(raw.receipt, 'receipt'),
    sender: context.addresses.read(tx.from, 'from'),
    rows: new TransactionRows(txIndex, context.rules),
    context,
    problems: [],
    exempt: [],
  };
};

const judge = (work: Work, trace: CallTrace | null, hasLogs: boolean): Outcome => {
  const { tx, receipt, context } = work;
  const hasStatus = context.blockNumber >= context.rules.statusFrom;
  const outcome = findOutcome(tx, receipt, { traceFailed: trace?.failed ?? null, hasLogs, hasStatus });
  if (outcome !== 'unknown') return outcome;
  const why = hasStatus ? 'lacks its status' : 'has no status, and all of the gas was used';
  report(work, 'status_unknown', `the receipt ${why}`);
  return outcome;
};

/** A problem, which also exempts the transaction from the sum rule. */
const report = ({ rows, problems, exempt }: Work, code: string, message: string): void => {
  problems.push({ code, txIndex: rows.txIndex, message });
  if (!exempt.includes(code)) exempt.push(code);
};

const readTrace = (raw: unknown, work: Work): CallTrace | null => {
  const { tx, receipt, sender, context } = work;
  if (sender === context.rules.untracedSender) return null;
  if (raw === undefined || raw === null) {
    if (context.traced) report(work, 'trace_missing', 'the block is traced, this transaction is not');
    return null;
  }
  try {
    const top = readObject(raw, 'trace');
    if (context.addresses.read(top.from, 'from of the trace') !== sender)
      throw new BlockFormatError('trace_contradicts', 'the trace begins with another sender');
    if (typeof tx.to === 'string' && context.addresses.read(top.to, 'to of the trace') !== readTarget(work))
      throw new BlockFormatError('trace_contradicts', 'the trace begins with another recipient');
    if (top.value !== tx.value && readQuantityOr(top.value, 'value', 0n) !== readQuantity(tx.value, 'value'))
      throw new BlockFormatError('trace_contradicts', 'the trace begins with another value');
    refuseOtherCode(work, top);
    const escrow = work.type === context.rules.ticketType ? ticketEscrow(work.hash) : null;
    const trace = walkCallTrace(top, context, escrow);
    const status = readStatus(receipt);
    if (status !== null && (status === 'failed') !== trace.failed)
      throw new BlockFormatError('trace_contradicts', 'trace and receipt disagree on whether it failed');
    if (trace.notEntered > 0)
      report(work, 'trace_contradicts', `${trace.notEntered} calls are listed that were never entered`);
    return trace;
  } catch (error) {
    if (!(error instanceof BlockFormatError)) throw error;
    const code = error.code === 'trace_contradicts' ? error.code : 'trace_malformed';
    report(work, code, error.message);
    return null;
  }
};

/** Two calls of one sender to one contract differ only in their data. */
const refuseOtherCode = ({ tx, type, receipt, context }: Work, top: RawObject): void => {
  const input = tx.input ?? tx.data;
  if (type !== context.rules.ticketType && isOther(top.input, input))
    throw new BlockFormatError('trace_contradicts', 'the trace begins with another input');
  const isCreation = tx.to === null || tx.to === undefined;
  if (isCreation && isOther(top.to, receipt.contractAddress))
    throw new BlockFormatError(
      'trace_contradicts',
      'the trace makes another contract than the receipt tells',
    );
};

const isOther = (a: unknown, b: unknown): boolean =>
  typeof a === 'string' && typeof b === 'string' && a !== b && a.toLowerCase() !== b.toLowerCase();

/** Kept on failure: a deposit's coins are issued before it runs. */
const addDeposit = ({ tx, type, sender, rows, context }: Work): void => {
  const field = context.rules.depositTypes[type];
  if (field !== undefined) rows.addNative('mint', null, sender, readQuantityOr(tx[field], field, 0n));
};

type Effects = Pick<DecodedTransaction, 'swaps' | 'bridgeTransfers' | 'controlEvents'>;
const NO_EFFECTS: Effects = { swaps: [], bridgeTransfers: [], controlEvents: [] };

/** Delegations survive a failure. */
const effectsOfFailure = (work: Work): Effects => ({
  ...NO_EFFECTS,
  controlEvents: readControlEvents({ ...work, trace: null, logs: [], isDone: false }, work.context),
});

/** Value and token rows of a successful transaction, with swaps and crossings. */
const addEffects = (
  work: Work,
  trace: CallTrace | null,
  logs: readonly unknown[],
  native: NativeLogs,
): Effects => {
  const { rows, sender, context } = work;
  for (const { from, to, weiRaw } of trace?.moves ?? movesWithoutTrace(work, native)) {
    rows.addNative(to === null ? 'burn' : 'transfer', from, to, weiRaw);
  }
  const control = { ...work, trace, isDone: true };
  if (logs.length === 0)
    return { ...NO_EFFECTS, controlEvents: readControlEvents({ ...control, logs: [] }, work.context) };
  const { chain, rules, addresses } = context;
  const calls = trace?.tokenCalls ?? null;
  const found = decodeTokenLogs(logs, { chain, rules, addresses, rows, sender, calls });
  reportLogs(work, found);
  return {
    swaps: findSwaps(work, found.smartAccounts),
    bridgeTransfers: findBridgeTransfers(work, found),
    controlEvents: readControlEvents({ ...control, logs: found.controlLogs }, work.context),
  };
};

/** The transaction's own value, and what the chain's own logs tell. */
const movesWithoutTrace = (work: Work, native: NativeLogs): readonly ValueMove[] => {
  const { tx, type, receipt, sender, context, exempt } = work;
  const weiRaw = readQuantity(tx.value, 'value');
  const own = weiRaw === 0n ? null : { from: sender, to: readTarget(work), weiRaw };
  const logged = typeof context.rules.nativeLogs?.transferTopic === 'string';
  // The client's logs omit self-destructs.
  if (!context.rules.codelessTypes.includes(type) && !ranNoCode(tx, receipt)) {
    if (logged) exempt.push('value_from_logs_only');
    else if (!context.traced) exempt.push('no_traces');
  }
  if (logged && native.moves.length > 0) return native.moves;
  return own === null ? [] : [own];
};

const addFees = (work: Work, feeLogTo: string | null): void => {
  const { tx, type, receipt, sender, rows, context } = work;
  const contradicted = (message: string): void => report(work, 'fee_contradicts', message);
  const outcome = chargeFees({ tx, type, receipt, sender, rows, feeLogTo, contradicted }, context);
  if (outcome === 'recipient_unknown') work.exempt.push(outcome);
  if (outcome === 'fee_unknown')
    report(work, outcome, 'the block does not say who pays what for gas, blobs or Ethereum');
};

const readTarget = ({ tx, receipt, context: { addresses } }: Work): string =>
  tx.to === null || tx.to === undefined
    ? addresses.read(receipt.contractAddress, 'contractAddress')
    : addresses.read(tx.to, 'to');

const reportLogs = (work: Work, { malformed, nonstandard }: TokenLogFindings): void => {
  if (malformed > 0) report(work, 'log_malformed', `${malformed} logs are malformed`);
  if (nonstandard.length === 0) return;
  const contracts = [...new Set(nonstandard)].slice(0, 3).join(', ');
  const message = `${nonstandard.length} Transfer logs are not in ERC-20 form, from ${contracts}`;
  report(work, 'transfer_log_nonstandard', message);
};

const findBridgeTransfers = (work: Work, { bridgeLogs }: TokenLogFindings): readonly BridgeTransfer[] => {
  if (bridgeLogs.length === 0) return NO_EFFECTS.bridgeTransfers;
  const { txIndex, rows, sender, context, problems } = work;
  const { transfers, malformed } = decodeBridgeLogs(bridgeLogs, {
    chain: context.chain,
    txIndex,
    sender,
    movements: rows.movements,
  });
  if (malformed > 0)
    problems.push({
      code: 'bridge_log_malformed',
      txIndex,
      message: `${malformed} malformed logs of bridges`,
    });
  return transfers;
};

/**
 * Swaps of the sender and its smart accounts. If the sender only paid the fee, the called contract (a bot or
 * multisig) swaps in its own name.
 */
const findSwaps = (
  { tx, sender, rows, context }: Work,
  smartAccounts: readonly string[],
): readonly Swap[] => {
  const { wrappedNative } = context.rules;
  const { movements } = rows;
  const swaps = deriveSwaps(movements, { initiators: [sender, ...smartAccounts], wrappedNative });
  if (swaps.length > 0 || tx.to === null || tx.to === undefined) return swaps;
  const target = context.addresses.read(tx.to, 'to');
  const took = movements.some(({ from, to, kind }) => kind !== 'fee' && (from === sender || to === sender));
  return took || target === sender
    ? swaps
    : deriveSwaps(movements, { initiators: [sender, target], wrappedNative });
};
