import type { RawObject } from '../read-hex.ts';
import type { RlpWriter } from './rlp-writer.ts';

type Field = (writer: RlpWriter, header: RawObject) => void;

const fixed =
  (field: string, length: number): Field =>
  (writer, header) =>
    writer.fixed(header[field], length, field);
const quantity =
  (field: string): Field =>
  (writer, header) =>
    writer.quantity(header[field], field);

/** In the order of the hashed form. */
const FIELDS: Readonly<Record<string, Field>> = {
  parentHash: fixed('parentHash', 32),
  sha3Uncles: fixed('sha3Uncles', 32),
  miner: fixed('miner', 20),
  stateRoot: fixed('stateRoot', 32),
  transactionsRoot: fixed('transactionsRoot', 32),
  receiptsRoot: fixed('receiptsRoot', 32),
  logsBloom: fixed('logsBloom', 256),
  difficulty: quantity('difficulty'),
  number: quantity('number'),
  gasLimit: quantity('gasLimit'),
  gasUsed: quantity('gasUsed'),
  timestamp: quantity('timestamp'),
  extraData: (writer, { extraData }) => writer.hex(extraData, 'extraData'),
  mixHash: fixed('mixHash', 32),
  nonce: fixed('nonce', 8),
};

/** Fields added by forks. Those after a header's last field are not part of it. */
const ADDED: Readonly<Record<string, Field>> = {
  baseFeePerGas: quantity('baseFeePerGas'),
  withdrawalsRoot: fixed('withdrawalsRoot', 32),
  blobGasUsed: quantity('blobGasUsed'),
  excessBlobGas: quantity('excessBlobGas'),
  parentBeaconBlockRoot: fixed('parentBeaconBlockRoot', 32),
  requestsHash: fixed('requestsHash', 32),
};

/** Fields that nodes add and no hash covers. */
const BESIDE: ReadonlySet<string> = new Set([
  ...['hash', 'size', 'totalDifficulty', 'transactions', 'uncles', 'withdrawals'],
  // Of Arbitrum and of BSC.
  ...['l1BlockNumber', 'sendCount', 'sendRoot', 'milliTimestamp'],
]);

const isTold = (header: RawObject, field: string): boolean =>
  header[field] !== undefined && header[field] !== null;

const addedTo = (header: RawObject): readonly [string, Field][] =>
  Object.entries(ADDED).filter(([field]) => isTold(header, field));

/** Whether a header is complete and in a known form. A later fork adds fields, and none has skipped one. */
export const isKnownHeader = (header: RawObject): boolean =>
  Object.keys(FIELDS).every((field) => isTold(header, field)) &&
  addedTo(header).every(([field], at) => field === Object.keys(ADDED)[at]) &&
  Object.keys(header).every(
    (field) => field in FIELDS || field in ADDED || BESIDE.has(field) || !isTold(header, field),
  );

/** A known header in the form that is hashed. Throws `BlockFormatError`. */
export const writeHeader = (writer: RlpWriter, header: RawObject): void => {
  const mark = writer.mark();
  for (const [, write] of addedTo(header).toReversed()) write(writer, header);
  for (const write of Object.values(FIELDS).toReversed()) write(writer, header);
  writer.list(mark);
};

/** A withdrawal as its block's trie holds it. Throws `BlockFormatError`. */
export const writeWithdrawal = (writer: RlpWriter, withdrawal: RawObject): void => {
  const mark = writer.mark();
  writer.quantity(withdrawal.amount, 'amount of a withdrawal');
  writer.fixed(withdrawal.address, 20, 'address of a withdrawal');
  writer.quantity(withdrawal.validatorIndex, 'validatorIndex');
  writer.quantity(withdrawal.index, 'index of a withdrawal');
  writer.list(mark);
};
