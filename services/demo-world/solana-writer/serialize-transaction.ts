import { base58 } from '@scure/base';
import type { JsonTransaction } from './compile-transaction.ts';

/** The "compact-u16" of Solana's wire format: seven bits a byte, low ones first. */
const compactLength = (length: number): number[] => {
  const bytes: number[] = [];
  let rest = length;
  while (rest > 127) {
    bytes.push((rest & 127) | 128);
    rest >>= 7;
  }
  return [...bytes, rest];
};

const list = (parts: readonly (readonly number[] | Uint8Array)[]): number[] => [
  ...compactLength(parts.length),
  ...parts.flatMap((part) => [...part]),
];

const prefixed = (bytes: readonly number[] | Uint8Array): number[] => [
  ...compactLength(bytes.length),
  ...bytes,
];

/** The bytes sent over the network: signatures, then the message. */
export const serializeTransaction = ({ transaction, version }: JsonTransaction): Uint8Array => {
  const { signatures, message } = transaction;
  const { header } = message;
  const bytes = [
    ...list(signatures.map((text) => base58.decode(text))),
    ...(version === 'legacy' ? [] : [0x80 | version]),
    header.numRequiredSignatures,
    header.numReadonlySignedAccounts,
    header.numReadonlyUnsignedAccounts,
    ...list(message.accountKeys.map((text) => base58.decode(text))),
    ...base58.decode(message.recentBlockhash),
    ...list(
      message.instructions.map(({ programIdIndex, accounts, data }) => [
        programIdIndex,
        ...prefixed(accounts),
        ...prefixed(base58.decode(data)),
      ]),
    ),
  ];
  if (version === 0) {
    const lookups = (message.addressTableLookups ?? []).map((lookup) => [
      ...base58.decode(lookup.accountKey),
      ...prefixed(lookup.writableIndexes),
      ...prefixed(lookup.readonlyIndexes),
    ]);
    bytes.push(...list(lookups));
  }
  return Uint8Array.from(bytes);
};
