import type { ChainRules } from './chain-rules.ts';
import { addressOfWord } from './read-hex.ts';
import type { TokenCalls } from './token-calls.ts';
import type { TransactionRows } from './transaction-rows.ts';
import type { ValueMove } from './walk-call-trace.ts';

const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const WETH_DEPOSIT = '0xe1fffcc4923d04b559f4d29a8bfc6cda04eb5b0d3c460751c2402c5c5cc9109c';
const WETH_WITHDRAWAL = '0x7fcf532c15f0a6db0bd6d0e038bea71d30d808c7d98cb3bf7268a95bf5081b65';
/** ERC-4337: topic 2 is the smart account whose operation ran. */
const USER_OPERATION = '0x49628fd1471006c1482da88028e9ce4dbb080b815c9b0344d39e5a8e6ec1419f';

const NULL_ADDRESS = '0x0000000000000000000000000000000000000000';
const WORD = /^0x[0-9a-fA-F]{64}$/;
const ADDRESS = /^0x[0-9a-fA-F]{40}$/;
const DATA = /^0x(?:[0-9a-fA-F]{2})*$/;

export type LogContext = {
  readonly rules: ChainRules;
  readonly rows: TransactionRows;
  readonly sender: string;
  /** null without a trace: then the sender is the best guess at who moved somebody else's tokens. */
  readonly calls: TokenCalls | null;
};

export type LogFindings = {
  /** Contracts whose `Transfer` logs have not the form of ERC-20 or ERC-721; one entry a log. */
  readonly nonstandard: string[];
  malformed: number;
  /** Smart accounts whose operations the transaction bundled. */
  readonly smartAccounts: string[];
  /** Whom the chain's fee log names. */
  feeTo: string | null;
  /** Movements of the coin that the chain logs itself, the transaction's own value among them. */
  readonly nativeMoves: ValueMove[];
};

type Log = { readonly address: string; readonly topics: readonly string[]; readonly data: string };

/** Adds a row for each token movement in the logs of one transaction, in their order. Never throws. */
export const decodeLogs = (logs: readonly unknown[], context: LogContext): LogFindings => {
  const findings: LogFindings = {
    nonstandard: [],
    malformed: 0,
    smartAccounts: [],
    feeTo: null,
    nativeMoves: [],
  };
  let before: Log | null = null;
  for (const raw of logs) {
    const log = readLog(raw);
    if (log === null) findings.malformed++;
    else if (log.address === context.rules.nativeLogs?.contract)
      readNativeLog(log, before, context, findings);
    else decodeLog(log, context, findings);
    before = log;
  }
  return findings;
};

const readLog = (raw: unknown): Log | null => {
  if (typeof raw !== 'object' || raw === null) return null;
  const { address, topics, data } = raw as { address?: unknown; topics?: unknown; data?: unknown };
  if (typeof address !== 'string' || !ADDRESS.test(address) || !Array.isArray(topics)) return null;
  if (typeof data !== 'string' || !DATA.test(data) || topics.length > 4) return null;
  for (const topic of topics) if (typeof topic !== 'string' || !WORD.test(topic)) return null;
  return { address: address.toLowerCase(), topics, data };
};

const decodeLog = (log: Log, context: LogContext, findings: LogFindings): void => {
  const { address, topics, data } = log;
  const { rules, rows } = context;
  const topic = topics[0];
  if (topic === TRANSFER) {
    if (topics.length === 3 && data.length === 66) addTransfer(log, context);
    // Four topics are ERC-721: the last one is a token's number, not an amount.
    else if (topics.length !== 4) findings.nonstandard.push(address);
  } else if (address === rules.wrappedNative && topics.length === 2 && data.length === 66) {
    const account = addressOfWord(topics[1] ?? '');
    if (topic === WETH_DEPOSIT) rows.add('wrap', null, account, address, BigInt(data), null);
    else if (topic === WETH_WITHDRAWAL) rows.add('unwrap', account, null, address, BigInt(data), null);
  } else if (topic === USER_OPERATION && topics.length === 4) {
    findings.smartAccounts.push(addressOfWord(topics[2] ?? ''));
  } else if (rules.burnLog !== null && topic === rules.burnLog.topic && address === rules.burnLog.contract) {
    rows.addNative('burn', address, null, wordOf(data, rules.burnLog.word));
  }
};

const addTransfer = ({ address, topics, data }: Log, context: LogContext): void => {
  const [, fromWord = '', toWord = ''] = topics;
  const from = addressOfWord(fromWord);
  const to = addressOfWord(toWord);
  const wraps = context.rules.wrapsByTransferLog && address === context.rules.wrappedNative;
  const amountRaw = BigInt(data);
  const issued = from === NULL_ADDRESS;
  const destroyed = to === NULL_ADDRESS;
  const owner = issued ? null : from;
  const kind = issued ? (wraps ? 'wrap' : 'mint') : destroyed ? (wraps ? 'unwrap' : 'burn') : 'transfer';
  const words = (fromWord.slice(2) + toWord.slice(2) + data.slice(2)).toLowerCase();
  const mover = context.calls?.mover(address, owner, words) ?? context.sender;
  context.rows.add(kind, owner, destroyed ? null : to, address, amountRaw, mover === owner ? null : mover);
};

/**
 * Polygon's client logs every movement of the coin but that of a self-destruct. The coin's own contract, used as a
 * token, repeats the movement in its own log right after its `Transfer`: that one is left out.
 */
const readNativeLog = (log: Log, before: Log | null, { rules }: LogContext, findings: LogFindings): void => {
  const [topic, , fromWord, toWord] = log.topics;
  if (fromWord === undefined || toWord === undefined) return;
  if (topic === rules.nativeLogs?.feeTopic) findings.feeTo = addressOfWord(toWord);
  if (topic !== rules.nativeLogs?.transferTopic) return;
  const repeats =
    before?.address === log.address &&
    before.topics[0] === TRANSFER &&
    before.topics[1] === fromWord &&
    before.topics[2] === toWord;
  if (repeats) return;
  const weiRaw = wordOf(log.data, 0);
  findings.nativeMoves.push({ from: addressOfWord(fromWord), to: addressOfWord(toWord), weiRaw });
};

/** 0 where the data is too short to hold the word. */
const wordOf = (data: string, word: number): bigint => {
  const hex = data.slice(2 + word * 64, 2 + (word + 1) * 64);
  return hex.length === 64 ? BigInt(`0x${hex}`) : 0n;
};
