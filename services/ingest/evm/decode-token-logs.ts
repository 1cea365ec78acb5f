import type { AddressBook } from './address-book.ts';
import { isBridgeLog } from './bridges/decode-bridge-logs.ts';
import type { ChainRules } from './chain-rules.ts';
import { smartAccountIn } from './control/account-acts.ts';
import { isControlLog } from './control/find-control-events.ts';
import {
  amountOf,
  type Log,
  readLog,
  TRANSFER_TOPIC,
  WETH_DEPOSIT,
  WETH_WITHDRAWAL,
  wordOf,
} from './read-log.ts';
import type { TokenCalls } from './token-calls.ts';
import type { TransactionRows } from './transaction-rows.ts';

/**
 * Logs coin payments in the form of a token's (EIP-7708). No contract can have this address, and the value rows
 * hold these payments.
 */
const COIN_LOGGER = '0xfffffffffffffffffffffffffffffffffffffffe';
const NULL_ADDRESS = '0x0000000000000000000000000000000000000000';

export type TokenLogContext = {
  readonly chain: string;
  readonly rules: ChainRules;
  readonly addresses: AddressBook;
  readonly rows: TransactionRows;
  readonly sender: string;
  /** null without a trace: then the sender is the best guess for who moved foreign tokens. */
  readonly calls: TokenCalls | null;
};

export type TokenLogFindings = {
  /** Contracts whose `Transfer` logs are neither ERC-20 nor ERC-721; one entry a log. */
  readonly nonstandard: string[];
  malformed: number;
  /** Smart accounts whose operations the transaction bundled. */
  readonly smartAccounts: string[];
  /** Events of bridges, which also describe the other side. */
  readonly bridgeLogs: Log[];
  /** Possible control events. */
  readonly controlLogs: Log[];
};

/** Adds a row for each token movement in the logs of one transaction, in their order. Never throws. */
export const decodeTokenLogs = (logs: readonly unknown[], context: TokenLogContext): TokenLogFindings => {
  const findings: TokenLogFindings = {
    ...{ nonstandard: [], malformed: 0, smartAccounts: [] },
    ...{ bridgeLogs: [], controlLogs: [] },
  };
  for (const raw of logs) {
    const log = readLog(raw);
    if (log === null || !decodeLog(log, context, findings)) findings.malformed++;
  }
  return findings;
};

/** false if the log is malformed. */
const decodeLog = (log: Log, context: TokenLogContext, findings: TokenLogFindings): boolean => {
  const { rules } = context;
  const topic = log.topics[0];
  if (topic === TRANSFER_TOPIC) return decodeTransfer(log, context, findings);
  if (topic === WETH_DEPOSIT || topic === WETH_WITHDRAWAL) return decodeWrapping(log, context);
  const account = smartAccountIn(log, context.addresses);
  if (account !== null) findings.smartAccounts.push(account);
  if (topic === rules.burnLog?.topic) return decodeBurn(log, context);
  else if (topic === rules.mintLog?.topic) return decodeMint(log, context);
  else if (isBridgeLog(log, context.chain)) findings.bridgeLogs.push(log);
  else if (isControlLog(log)) findings.controlLogs.push(log);
  return true;
};

const decodeTransfer = (log: Log, context: TokenLogContext, findings: TokenLogFindings): boolean => {
  if (log.address === COIN_LOGGER || log.address === context.rules.nativeLogs?.contract) return true;
  const words = log.topics.length;
  if (words === 3 && log.data.length === 66) return addTransfer(log, context);
  // Four topics are ERC-721: the last one is a token id, not an amount.
  if (words !== 4) findings.nonstandard.push(log.address);
  return true;
};

const addTransfer = (log: Log, context: TokenLogContext): boolean => {
  const { rules, rows, addresses, calls, sender } = context;
  const [, fromWord = '', toWord = ''] = log.topics;
  const asset = addresses.find(log.address);
  const from = addresses.ofWord(fromWord);
  const to = addresses.ofWord(toWord);
  const amountRaw = amountOf(log.data);
  if (asset === null || from === null || to === null || amountRaw === null) return false;
  const wraps = rules.wrapsByTransferLog && asset === rules.wrappedNative;
  const issued = from === NULL_ADDRESS;
  const destroyed = to === NULL_ADDRESS;
  const owner = issued ? null : from;
  const kind = issued ? (wraps ? 'wrap' : 'mint') : destroyed ? (wraps ? 'unwrap' : 'burn') : 'transfer';
  if (asset === rules.coinToken) {
    if (!rows.exists(amountRaw)) return false;
    rows.addNative(kind, owner, destroyed ? null : to, amountRaw);
    return true;
  }
  const mover = calls?.mover(asset, owner, () => wordsOf(log)) ?? sender;
  rows.add(kind, owner, destroyed ? null : to, asset, amountRaw, mover === owner ? null : mover);
  return true;
};

const wordsOf = ({ topics: [, from = '', to = ''], data }: Log): string =>
  (from.slice(2) + to.slice(2) + data.slice(2)).toLowerCase();

/** Other contracts log deposits under the same name; only the wrapped coin's are wrapping. */
const decodeWrapping = (
  { address, topics, data }: Log,
  { rules, rows, addresses }: TokenLogContext,
): boolean => {
  if (address !== rules.wrappedNative || topics.length !== 2 || data.length !== 66) return true;
  const account = addresses.ofWord(topics[1] ?? '');
  const amountRaw = amountOf(data);
  if (account === null || amountRaw === null) return false;
  if (topics[0] === WETH_DEPOSIT) rows.add('wrap', null, account, address, amountRaw, null);
  else rows.add('unwrap', account, null, address, amountRaw, null);
  return true;
};

const decodeBurn = ({ address, data }: Log, { rules: { burnLog }, rows }: TokenLogContext): boolean => {
  if (burnLog === null || address !== burnLog.contract) return true;
  const weiRaw = amountOf(wordOf(data, burnLog.word));
  if (weiRaw === null || !rows.exists(weiRaw)) return false;
  rows.addNative('burn', address, null, weiRaw);
  return true;
};

const decodeMint = (
  { address, topics, data }: Log,
  { addresses, rules: { mintLog }, rows }: TokenLogContext,
): boolean => {
  if (!mintLog?.contracts.some((contract) => contract === address)) return true;
  const account = addresses.ofWord(topics[1] ?? '');
  const weiRaw = amountOf(wordOf(data, 0));
  if (account === null || weiRaw === null || !rows.exists(weiRaw)) return false;
  rows.addNative('mint', null, account, weiRaw);
  return true;
};
