import type { Column } from './analyst-view.ts';

/** The address form of each address column. */
export const KEY_FORM = 'lower case on EVM chains, base58 on Solana';

/** An address as the API prints it: EIP-55 on EVM chains, unchanged elsewhere (`presentAddress`). */
export const showAddress = (address: string): string => {
  const digits = `substring(${address}, 3)`;
  const letters = `arrayMap(i -> substring(${digits}, i, 1), range(1, 41))`;
  const nibbles = `arrayMap(i -> substring(lower(hex(keccak256(${digits}))), i, 1), range(1, 41))`;
  return `if(startsWith(${address}, '0x'), concat('0x', arrayStringConcat(arrayMap(
    (letter, nibble) -> if(nibble >= '8', upper(letter), letter), ${letters}, ${nibbles}))), ${address})`;
};

/** A column that shows an address column in the API's form. */
export const shownColumn = (of: string): Column => [
  `${of}_shown`,
  'String',
  `${of} as the API prints it: EIP-55 on EVM chains; ask by ${of}`,
];

/** Converts an address in any form, given to a view, to the tables' form. */
export const givenAddress = (parameter: string): string =>
  `if(startsWith({${parameter}:String}, '0x'), lower({${parameter}:String}), {${parameter}:String})`;
