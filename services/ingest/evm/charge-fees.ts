import { least } from '../../investigate/model/amount.ts';
import type { ChainRules, Recipient } from './chain-rules.ts';
import { type RawObject, readNumber, readQuantity, readQuantityOr } from './read-hex.ts';
import type { TransactionRows } from './transaction-rows.ts';

export type FeeContext = {
  readonly rules: ChainRules;
  readonly blockNumber: number;
  readonly miner: string;
  readonly baseFeeRaw: bigint | null;
};

export type ChargedTransaction = {
  readonly tx: RawObject;
  readonly type: string;
  readonly receipt: RawObject;
  readonly sender: string;
  readonly rows: TransactionRows;
  /** The recipient in the transaction's own fee log, if the chain has one. */
  readonly feeLogTo: string | null;
  /** Called for receipts that contradict the transaction, which is believed. */
  readonly contradicted: (message: string) => void;
};

/**
 * - `charged`: all parts have their rows
 * - `recipient_unknown`: charged, but a part goes to null because the block does not say who got it
 * - `fee_unknown`: a part of the fee, how the price of gas divides, or who pays in what, is told nowhere; no row for what is not known
 */
export type FeeOutcome = 'charged' | 'recipient_unknown' | 'fee_unknown';

/** Blob gas of one blob (EIP-4844). */
const GAS_PER_BLOB = 131_072n;
const BLOB_TYPE = '0x3';
const PRICE_UNIT = 1_000_000n;

/** Adds the fee rows of one transaction, in wei, from its sender. Throws `BlockFormatError`. */
export const chargeFees = (charged: ChargedTransaction, context: FeeContext): FeeOutcome => {
  const { receipt } = charged;
  const { rules } = context;
  if (rules.feelessTypes.includes(charged.type)) return 'charged';
  if (!rules.gasTypes.includes(charged.type) || isPaidOtherwise(charged)) return 'fee_unknown';
  let known = true;
  const pay = (recipient: Recipient, weiRaw: bigint): void => {
    if (weiRaw <= 0n) return;
    const to = resolve(recipient, context, charged.feeLogTo);
    known &&= to !== undefined;
    charged.rows.addNative('fee', charged.sender, to ?? null, weiRaw);
  };

  const gasUsed = readQuantity(receipt.gasUsed, 'gasUsed');
  const priceRaw = gasUsed === 0n ? 0n : readPrice(charged, context);
  if (priceRaw === null) return 'fee_unknown';
  const l1Gas = rules.fees.l1Gas === null ? 0n : readQuantityOr(receipt.gasUsedForL1, 'gasUsedForL1', 0n);
  if (rules.fees.l1Gas !== null) pay(rules.fees.l1Gas, l1Gas * priceRaw);
  const gas = gasUsed - l1Gas;
  // A free transaction pays no base fee.
  const baseRaw = least(context.baseFeeRaw ?? 0n, priceRaw);
  pay(rules.fees.tip, gas * (priceRaw - baseRaw));
  pay(rules.fees.base, gas * baseRaw);
  const l1FeeRaw = readQuantityOr(receipt.l1Fee, 'l1Fee', hasBegun(rules.l1FeeFrom, context) ? null : 0n);
  if (l1FeeRaw !== null) pay(rules.fees.l1, l1FeeRaw);
  pay(rules.fees.operator, operatorFee(receipt, gasUsed));
  const blobFeeRaw = blobFee(charged);
  if (blobFeeRaw !== null) pay(rules.fees.blob, blobFeeRaw);
  if (l1FeeRaw === null || blobFeeRaw === null) return 'fee_unknown';
  return known ? 'charged' : 'recipient_unknown';
};

const SHORT_TYPE = /^0x(?:0|[1-9a-f][0-9a-f]?)$/;

/** In hex without leading zeros; `0x0` for transactions older than types. Throws `BlockFormatError`. */
export const readType = ({ type }: RawObject): string => {
  if (type === undefined || type === null) return '0x0';
  if (typeof type === 'string' && SHORT_TYPE.test(type)) return type;
  return `0x${readNumber(type, 'type').toString(16)}`;
};

const hasBegun = (fromBlock: number | null, { blockNumber }: FeeContext): boolean =>
  fromBlock !== null && blockNumber >= fromBlock;

/** Paid in a token or by somebody else: some chains use Ethereum's types for such transactions. */
const isPaidOtherwise = ({ tx, receipt, sender }: ChargedTransaction): boolean => {
  const payer = tx.feePayer ?? receipt.feePayer ?? null;
  const isForeign = payer !== null && !(typeof payer === 'string' && payer.toLowerCase() === sender);
  return isForeign || (tx.feeCurrency ?? tx.feeToken ?? null) !== null;
};

/**
 * The price in wei; null if nothing states it, or it cannot be divided because the header lacks its base fee.
 * Nobody pays less than the base fee or more than offered; a receipt that says otherwise is reported and not
 * believed.
 */
const readPrice = (charged: ChargedTransaction, context: FeeContext): bigint | null => {
  const { baseFeeRaw, rules } = context;
  if (baseFeeRaw === null && hasBegun(rules.baseFeeFrom, context)) return null;
  const told = readQuantityOr(charged.receipt.effectiveGasPrice, 'effectiveGasPrice', null);
  const offered = offeredPrice(charged.tx, context);
  if (told === 0n && offered === 0n && rules.freeTransactions) return 0n;
  const isBelow = (priceRaw: bigint): boolean => priceRaw < (baseFeeRaw ?? 0n);
  if (told !== null && !isBelow(told) && (offered === null || told === offered || rules.tips !== 'offered'))
    return told;
  if (offered === null || isBelow(offered)) return null;
  if (told === null) return offered;
  const priceRaw = !isBelow(told) && isWitnessed(charged.tx, told) ? told : offered;
  const prices = `the receipt states a gas price of ${told}, the transaction offers ${offered}`;
  charged.contradicted(`${prices}: ${priceRaw} was taken`);
  return priceRaw;
};

/**
 * If `gasPrice` repeats a price within the limits, the base fee may be the wrong one. Some nodes report the limit
 * in both.
 */
const isWitnessed = ({ gasPrice, maxFeePerGas }: RawObject, priceRaw: bigint): boolean =>
  readQuantityOr(gasPrice, 'gasPrice', null) === priceRaw &&
  priceRaw < readQuantityOr(maxFeePerGas, 'maxFeePerGas', 0n);

/**
 * What the transaction itself states. Nodes also report the highest price as `gasPrice`, which then proves
 * nothing.
 */
const offeredPrice = (tx: RawObject, { baseFeeRaw, rules }: FeeContext): bigint | null => {
  const cap = readQuantityOr(tx.maxFeePerGas, 'maxFeePerGas', null);
  const tip = readQuantityOr(tx.maxPriorityFeePerGas, 'maxPriorityFeePerGas', null);
  if (rules.tips === 'dropped' && baseFeeRaw !== null) return baseFeeRaw;
  if (cap !== null && tip !== null && baseFeeRaw !== null) return least(cap, baseFeeRaw + tip);
  const price = readQuantityOr(tx.gasPrice, 'gasPrice', null);
  return cap !== null && price !== null && price >= cap ? null : price;
};

const blobFee = ({ tx, type, receipt, contradicted }: ChargedTransaction): bigint | null => {
  const blobs = Array.isArray(tx.blobVersionedHashes) ? tx.blobVersionedHashes.length : null;
  // On some chains receipts of other types use the same fields for other things.
  if (type !== BLOB_TYPE && !blobs) return 0n;
  const told = blobs === null ? null : BigInt(blobs) * GAS_PER_BLOB;
  const used = readQuantityOr(receipt.blobGasUsed, 'blobGasUsed', told);
  if (told !== null && used !== told)
    contradicted(`the receipt states ${used} blob gas, ${blobs} blobs take ${told}`);
  const gas = told ?? used;
  const priceRaw = readQuantityOr(receipt.blobGasPrice, 'blobGasPrice', null);
  return gas === null || priceRaw === null ? null : gas * priceRaw;
};

/** OP stack since Isthmus. Jovian, whose receipts name a footprint scalar, raised the unit of the scalar. */
const operatorFee = (receipt: RawObject, gasUsed: bigint): bigint => {
  const scalar = readQuantityOr(receipt.operatorFeeScalar, 'operatorFeeScalar', 0n);
  const constant = readQuantityOr(receipt.operatorFeeConstant, 'operatorFeeConstant', 0n);
  if (scalar === 0n && constant === 0n) return 0n;
  const jovian = readQuantityOr(receipt.daFootprintGasScalar, 'daFootprintGasScalar', null) !== null;
  return (jovian ? gasUsed * scalar * 100n : (gasUsed * scalar) / PRICE_UNIT) + constant;
};

/** null: nobody; undefined: somebody, but the block does not say who. */
const resolve = (
  recipient: Recipient,
  context: FeeContext,
  feeLogTo: string | null,
): string | null | undefined => {
  if (typeof recipient !== 'string') {
    return recipient.findLast(({ fromBlock }) => context.blockNumber >= fromBlock)?.account;
  }
  if (recipient === 'nobody') return null;
  if (recipient === 'miner') return context.miner;
  if (recipient === 'fee_log') return feeLogTo ?? undefined;
  return recipient === 'unknown' ? undefined : recipient;
};
