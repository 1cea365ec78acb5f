import type { DecodedBlock, DecodeProblem } from '../../investigate/model/block.ts';
import { BlockFormatError } from '../block-format-error.ts';
import { type Collected, collectExempt, collectNothing, collectRows } from '../collected.ts';
import { CallCounts } from '../count-calls.ts';
import { addBlockRows } from './add-block-rows.ts';
import { type AddressBook, createAddressBook } from './address-book.ts';
import { type ChainRules, rulesOf } from './chain-rules.ts';
import { checkBlock } from './checks/check-block.ts';
import { decodeTransaction, type RawTransaction, type TransactionContext } from './decode-transaction.ts';
import { matchParts } from './match-parts.ts';
import { malformed, type RawObject, readHash, readNumber, readObject, readQuantityOr } from './read-hex.ts';

/** Answers of a node, as `JSON.parse` gives them. */
export type EvmBlockInput = {
  readonly chain: string;
  /** `eth_getBlockByNumber(number, true)`. */
  readonly block: unknown;
  /** `eth_getBlockReceipts(number)`. */
  readonly receipts: unknown;
  /** `debug_traceBlockByHash(hash, {tracer: 'callTracer'})`; null where the node has none. */
  readonly traces: unknown;
  /** `eth_getUncleByBlockNumberAndIndex`, if fetched: blocks before the Merge. */
  readonly uncles?: readonly unknown[] | null;
  /** Only some of the block's transactions are here, so the header's totals are not compared. */
  readonly isPart?: boolean;
};

/**
 * Decodes the movements of one EVM block; see docs/decisions/0004-evm-movements.md. Addresses and hashes are
 * in lower case, amounts in wei or the token's raw units.
 */
export const decodeEvmBlock = (input: EvmBlockInput): DecodedBlock => {
  const rules = rulesOf(input.chain);
  const block = readObject(input.block, 'block');
  const addresses = createAddressBook();
  const header = readHeader(block, addresses);
  const { traced, ...parts } = matchParts(input, header.hash);
  const amsterdam = isAmsterdam(block);
  const { isPart = false, uncles = null } = input;
  const { number: at, hash: blockHash } = header;
  const place = { rules, number: at, hash: blockHash, amsterdam, isWhole: !isPart, uncles };
  const { transactions, findings } = checkBlock(block, parts.transactions, place);
  const context: TransactionContext = {
    chain: input.chain,
    rules,
    addresses,
    blockNumber: header.number,
    miner: header.miner,
    baseFeeRaw: header.baseFeeRaw,
    cancun: isCancun(block, rules, header.number),
    amsterdam,
    traced,
  };
  const found = collectNothing();
  const calls = new CallCounts();
  for (const transaction of transactions) addTransaction(found, calls, transaction, context);
  addFindings(found, findings);
  for (const event of calls.toEvents(found.controlEvents)) found.controlEvents.push(event);
  addBlockRows({ rules, addresses, block, ...header, uncles: input.uncles ?? null }, found);
  const { number, hash, parentHash, timeUnixSeconds } = header;
  return {
    chain: input.chain,
    number,
    hash,
    parentHash,
    parentNumber: number === 0 ? null : number - 1,
    timeUnixSeconds,
    ...found,
    controlCoverage: traced && !hasUntraced(found) ? 'full' : 'outer',
    assets: [],
    voteFeesRaw: 0n,
  };
};

type Header = {
  readonly number: number;
  readonly hash: string;
  readonly parentHash: string;
  readonly timeUnixSeconds: number;
  readonly miner: string;
  readonly baseFeeRaw: bigint | null;
};

const readHeader = (block: RawObject, addresses: AddressBook): Header => ({
  number: readNumber(block.number, 'number'),
  hash: readHash(block.hash, 'hash'),
  parentHash: readHash(block.parentHash, 'parentHash'),
  timeUnixSeconds: readTime(block.timestamp),
  miner: addresses.read(block.miner, 'miner'),
  baseFeeRaw: readQuantityOr(block.baseFeePerGas, 'baseFeePerGas', null),
});

/** Tables hold 32 bits of it. */
const readTime = (timestamp: unknown): number => {
  const seconds = readNumber(timestamp, 'timestamp');
  if (seconds < 2 ** 32) return seconds;
  throw malformed('timestamp', timestamp);
};

/**
 * The header shows it (EIP-4788, EIP-4844) on Ethereum and chains with its headers; others have it in their rules.
 */
const isCancun = (block: RawObject, { cancunFrom }: ChainRules, number: number): boolean => {
  if (typeof block.parentBeaconBlockRoot === 'string' || typeof block.blobGasUsed === 'string') return true;
  if (isAmsterdam(block)) return true;
  if (cancunFrom === null) return false;
  if ('block' in cancunFrom) return number >= cancunFrom.block;
  // Nitro packs the count of messages, the L1 block and the version of ArbOS into mixHash, 8 bytes each.
  const mixHash = block.mixHash;
  return typeof mixHash === 'string' && Number(`0x${mixHash.slice(34, 50)}`) >= cancunFrom.arbosVersion;
};

/** By the fields that it adds (EIP-7928, EIP-7843). */
const isAmsterdam = (block: RawObject): boolean =>
  typeof block.blockAccessListHash === 'string' || typeof block.slotNumber === 'string';

/** Several problems of a code may be of one transaction, which is listed once. */
const addFindings = (found: Collected, findings: readonly DecodeProblem[]): void => {
  const listed = new Set<string>();
  for (const finding of findings) {
    const { code, txIndex } = finding;
    found.problems.push(finding);
    if (txIndex !== null && listed.size < listed.add(`${code} ${txIndex}`).size)
      collectExempt(found, code, txIndex);
  }
};

/** A wrong trace costs only the calls inside its transaction. */
const hasUntraced = ({ problems }: Collected): boolean =>
  problems.some(({ code }) => code.startsWith('trace_'));

const addTransaction = (
  found: Collected,
  calls: CallCounts,
  raw: RawTransaction,
  context: TransactionContext,
): void => {
  const { txIndex } = raw;
  try {
    const decoded = decodeTransaction(raw, context);
    collectRows(found, decoded);
    const { called, transaction } = decoded;
    // A transaction that moved and paid nothing is the chain's own housekeeping.
    const isListed = found.transactions.at(-1) === transaction;
    if (called !== null && isListed) calls.add(called, transaction.sender, transaction);
    for (const problem of decoded.problems) found.problems.push(problem);
    for (const reason of decoded.exempt) collectExempt(found, reason, txIndex);
  } catch (error) {
    if (!(error instanceof BlockFormatError)) throw error;
    const code = raw.receipt === undefined ? 'receipt_missing' : 'transaction_malformed';
    found.problems.push({ code, txIndex, message: error.message });
    collectExempt(found, code, txIndex);
  }
};
