import { malformed } from './read-hex.ts';

/**
 * The addresses of one block, each checked and lower-cased once. A block repeats the same few hundred, and a
 * look-up is several times faster than a check.
 */
export type AddressBook = {
  /** 20 bytes. Throws `BlockFormatError` (`field_missing`, `field_malformed`). */
  read(value: unknown, field: string): string;
  /** The same; null if it is no address. */
  find(value: string): string | null;
  /** The address in the low 20 bytes of a 32-byte word; null if it is no such word. */
  ofWord(word: string): string | null;
};

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;
const WORD = /^0x[0-9a-fA-F]{64}$/;

export const createAddressBook = (): AddressBook => {
  const addresses = new Map<string, string>();
  const words = new Map<string, string>();
  const find = (value: string): string | null => {
    let address = addresses.get(value);
    if (address !== undefined) return address;
    if (!ADDRESS.test(value)) return null;
    address = value.toLowerCase();
    addresses.set(value, address);
    return address;
  };
  return {
    find,
    read: (value, field) => {
      const address = typeof value === 'string' ? find(value) : null;
      if (address === null) throw malformed(field, value);
      return address;
    },
    ofWord: (word) => {
      let address = words.get(word);
      if (address !== undefined) return address;
      if (!WORD.test(word)) return null;
      address = `0x${word.slice(26)}`.toLowerCase();
      words.set(word, address);
      return address;
    },
  };
};
