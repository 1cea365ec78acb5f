import { malformed, type RawObject, readArray, readObject } from '../read-hex.ts';
import { bloomOf, TOPICS_MAX } from './bloom.ts';
import type { RlpWriter } from './rlp-writer.ts';

/** A receipt as its block's trie holds it; `type` in hex without leading zeros. Throws `BlockFormatError`. */
export const writeReceipt = (
  writer: RlpWriter,
  receipt: RawObject,
  type: string,
  hasStatus: boolean,
): void => {
  const { logsBloom } = receipt;
  const logs = readArray(receipt.logs, 'logs');
  const mark = writer.mark();
  // Deposits of the OP stack since Canyon: earlier, their nonce was not part of it.
  if (type === '0x7e' && typeof receipt.depositReceiptVersion === 'string') {
    writer.quantity(receipt.depositReceiptVersion, 'depositReceiptVersion');
    writer.quantity(receipt.depositNonce, 'depositNonce');
  }
  writeLogs(writer, logs);
  if (typeof logsBloom === 'string') writer.fixed(logsBloom, 256, 'logsBloom');
  else writer.bytes(bloomOf(logs));
  writer.quantity(receipt.cumulativeGasUsed, 'cumulativeGasUsed');
  // Before Byzantium a state root stood in place of the status.
  if (hasStatus) writer.quantity(receipt.status, 'status');
  else writer.fixed(receipt.root, 32, 'root');
  writer.list(mark);
  writeType(writer, type);
};

/** Precedes every type but the first. */
export const writeType = (writer: RlpWriter, type: string): void => {
  const value = Number(type);
  if (value > 0x7f) throw malformed('type', type);
  if (value > 0) writer.byte(value);
};

const writeLogs = (writer: RlpWriter, logs: readonly unknown[]): void => {
  const mark = writer.mark();
  for (let at = logs.length - 1; at >= 0; at--) writeLog(writer, readObject(logs[at], 'a log'));
  writer.list(mark);
};

const writeLog = (writer: RlpWriter, { address, topics, data }: RawObject): void => {
  const mark = writer.mark();
  writer.hex(data, 'data of a log');
  const inner = writer.mark();
  const words = readArray(topics, 'topics');
  if (words.length > TOPICS_MAX) throw malformed('topics', topics);
  for (let at = words.length - 1; at >= 0; at--) writer.fixed(words[at], 32, 'a topic');
  writer.list(inner);
  writer.fixed(address, 20, 'address of a log');
  writer.list(mark);
};
