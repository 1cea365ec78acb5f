import { TransactionFormatError } from '../transaction-format-error.ts';
import { AccountKeys } from './account-keys.ts';
import { programKind } from './programs.ts';
import type { RawInstruction, RawMessage, RawMeta, RawTransaction } from './raw-block.ts';
import {
  endOfWireInstruction,
  readWireTransaction,
  type WireTransaction,
  wireKeys,
  wireSignature,
} from './wire-transaction.ts';

/** A transaction in any encoding, ready for the replay. */
export type TransactionParts = {
  readonly keys: AccountKeys;
  readonly wire: WireTransaction | null;
  readonly signatures: readonly string[] | null;
  readonly instructions: readonly RawInstruction[];
};

const NO_INSTRUCTIONS: readonly RawInstruction[] = [];
const NO_KEYS: readonly string[] = [];
// 64 bytes in base58.
export const SIGNATURE_LENGTH_MAX = 88;

/** @throws TransactionFormatError if the transaction has no known encoding */
export const readTransaction = (raw: RawTransaction, meta: RawMeta): TransactionParts => {
  const { transaction } = raw;
  // Before 2020-09 the default encoding was bare base58 text.
  if (typeof transaction === 'string') return readWire(transaction, 'base58', meta);
  if (Array.isArray(transaction)) return readWire(String(transaction[0]), String(transaction[1]), meta);
  return readMessage(transaction as { signatures: readonly string[]; message: RawMessage }, meta);
};

const readWire = (text: string, encoding: string, meta: RawMeta): TransactionParts => {
  const wire = readWireTransaction(text, encoding);
  const keys = wireKeys(wire, loadedKeys(meta));
  return { keys, wire, signatures: null, instructions: NO_INSTRUCTIONS };
};

/** Of lookup tables; `jsonParsed` lists them among the others. */
export const loadedKeys = ({ loadedAddresses }: RawMeta): readonly string[] => {
  if (!loadedAddresses) return NO_KEYS;
  const { writable, readonly } = loadedAddresses;
  if (!writable?.length && !readonly?.length) return NO_KEYS;
  return [...(writable ?? NO_KEYS), ...(readonly ?? NO_KEYS)];
};

const readMessage = (
  transaction: { readonly signatures: readonly string[]; readonly message: RawMessage },
  meta: RawMeta,
): TransactionParts => {
  const { signatures, message } = transaction;
  if (
    !Array.isArray(signatures) ||
    !Array.isArray(message?.accountKeys) ||
    !Array.isArray(message.instructions)
  )
    throw new TransactionFormatError('broken_transaction', 'the transaction has no message');
  const names: string[] = [];
  let isParsed = false;
  for (const key of message.accountKeys) {
    if (typeof key === 'string') names.push(key);
    else {
      isParsed = true;
      names.push(String(key?.pubkey));
    }
  }
  // jsonParsed lists the loaded keys among the others.
  if (!isParsed) for (const name of loadedKeys(meta)) names.push(name);
  const keys = new AccountKeys(names, null, 0, 0);
  return { keys, wire: null, signatures, instructions: message.instructions };
};

/** @throws TransactionFormatError `broken_transaction` if it has none */
export const signatureOf = ({ wire, signatures }: TransactionParts): string => {
  if (wire !== null) return wireSignature(wire);
  const signature = signatures?.[0];
  if (typeof signature !== 'string' || signature.length > SIGNATURE_LENGTH_MAX)
    throw new TransactionFormatError('broken_transaction', 'the transaction has no signature');
  return signature;
};

/** The first accounts are the signers, one per signature. */
export const signerCountOf = ({ keys, wire, signatures }: TransactionParts): number =>
  Math.min(keys.count, wire?.signatureCount ?? signatures?.length ?? 0);

export const signersOf = (parts: TransactionParts): string[] => {
  const { keys } = parts;
  const count = signerCountOf(parts);
  const signers: string[] = [];
  for (let i = 0; i < count; i++) signers.push(keys.at(i));
  return signers;
};

/** Whether every top-level instruction (at least one) calls a program of this kind. */
export const callsOnly = (
  { keys, wire, instructions }: TransactionParts,
  isWanted: (kind: number) => boolean,
): boolean => {
  if (wire === null) {
    for (const { programIdIndex, programId } of instructions) {
      const program =
        typeof programIdIndex === 'number'
          ? keys.programKindAt(programIdIndex)
          : programKind(String(programId));
      if (!isWanted(program)) return false;
    }
    return instructions.length > 0;
  }
  let position = wire.instructionsStart;
  for (let i = 0; i < wire.instructionCount; i++) {
    if (!isWanted(keys.programKindAt(wire.bytes[position] ?? -1))) return false;
    position = endOfWireInstruction(wire.bytes, position);
  }
  return wire.instructionCount > 0;
};
