import { type RawObject, readArray, readObject } from '../read-hex.ts';
import type { RlpWriter } from './rlp-writer.ts';
import { writeType } from './write-receipt.ts';

type Field = (writer: RlpWriter, tx: RawObject) => void;

const quantity =
  (field: string): Field =>
  (writer, tx) =>
    writer.quantity(tx[field], field);

const to: Field = (writer, tx) =>
  tx.to === null || tx.to === undefined ? writer.hex('0x', 'to') : writer.fixed(tx.to, 20, 'to');
const input: Field = (writer, tx) => writer.hex(tx.input ?? tx.data, 'input');
/** Nodes first reported it as `v`, and some as legacy transactions do. */
const yParity: Field = (writer, { yParity: parity, v }) => {
  const told = parity ?? v;
  writer.quantity(told === '0x1b' ? '0x0' : told === '0x1c' ? '0x1' : told, 'yParity');
};

const list =
  (field: string, write: (writer: RlpWriter, item: unknown) => void): Field =>
  (writer, tx) => {
    const mark = writer.mark();
    for (const item of readArray(tx[field] ?? [], field).toReversed()) write(writer, item);
    writer.list(mark);
  };

const word = (writer: RlpWriter, value: unknown): void => writer.fixed(value, 32, 'a word');
const storageKeys = list('storageKeys', word);

const accessList = list('accessList', (writer, raw) => {
  const mark = writer.mark();
  const item = readObject(raw, 'an item of accessList');
  storageKeys(writer, item);
  writer.fixed(item.address, 20, 'address of accessList');
  writer.list(mark);
});

const signature: readonly Field[] = [yParity, quantity('r'), quantity('s')];

const authorizationList = list('authorizationList', (writer, raw) => {
  const item = readObject(raw, 'an item of authorizationList');
  const address: Field = (_, { address: value }) => writer.fixed(value, 20, 'address of an authorization');
  writeFields(writer, item, [quantity('chainId'), address, quantity('nonce'), ...signature]);
});

const nonce = quantity('nonce');
const gasPrice = quantity('gasPrice');
const gas = quantity('gas');
const value = quantity('value');
const chainId = quantity('chainId');
const capped = [chainId, nonce, quantity('maxPriorityFeePerGas'), quantity('maxFeePerGas')];
const call = [gas, to, value, input];

/** In the order of the signed form. */
const FIELDS: Readonly<Record<string, readonly Field[]>> = {
  '0x0': [nonce, gasPrice, ...call, quantity('v'), quantity('r'), quantity('s')],
  '0x1': [chainId, nonce, gasPrice, ...call, accessList, ...signature],
  '0x2': [...capped, ...call, accessList, ...signature],
  '0x3': [
    ...capped,
    ...call,
    accessList,
    quantity('maxFeePerBlobGas'),
    list('blobVersionedHashes', word),
    ...signature,
  ],
  '0x4': [...capped, ...call, accessList, authorizationList, ...signature],
  // ArbOS' own transactions.
  '0x6a': [chainId, input],
  // A deposit of the OP stack, unsigned.
  '0x7e': [
    (writer, tx) => writer.fixed(tx.sourceHash, 32, 'sourceHash'),
    (writer, tx) => writer.fixed(tx.from, 20, 'from'),
    to,
    (writer, tx) => writer.quantity(tx.mint ?? '0x0', 'mint'),
    value,
    gas,
    (writer, tx) => writer.quantity(tx.isSystemTx === true ? '0x1' : '0x0', 'isSystemTx'),
    input,
  ],
};

/** A field that some nodes omit and nobody can reconstruct. */
const NEEDED: Readonly<Record<string, readonly string[]>> = {
  '0x0': ['r', 's', 'v', 'gasPrice'],
  '0x1': ['r', 's', 'chainId', 'gasPrice', 'accessList'],
  '0x2': ['r', 's', 'chainId', 'maxFeePerGas', 'accessList'],
  '0x3': ['r', 's', 'chainId', 'maxFeePerGas', 'accessList', 'maxFeePerBlobGas', 'blobVersionedHashes'],
  '0x4': ['r', 's', 'chainId', 'maxFeePerGas', 'accessList', 'authorizationList'],
  '0x6a': ['chainId'],
  '0x7e': ['sourceHash'],
};

/** Whether a transaction's trie form is known and complete. */
export const isWritable = (tx: RawObject, type: string): boolean =>
  NEEDED[type]?.every((field) => tx[field] !== undefined && tx[field] !== null) ?? false;

/** A transaction as its block's trie holds it; `type` in hex without leading zeros. Throws `BlockFormatError`. */
export const writeTransaction = (writer: RlpWriter, tx: RawObject, type: string): void => {
  writeFields(writer, tx, FIELDS[type] ?? []);
  writeType(writer, type);
};

const writeFields = (writer: RlpWriter, item: RawObject, fields: readonly Field[]): void => {
  const mark = writer.mark();
  for (let at = fields.length - 1; at >= 0; at--) fields[at]?.(writer, item);
  writer.list(mark);
};
