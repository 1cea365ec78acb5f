import { base58 } from '@scure/base';

/** The bytes of a base58 text; null where it is none. Takes quadratic time: bound the text's length first. */
export const decodeBase58 = (text: string): Uint8Array | null => {
  try {
    return base58.decode(text);
  } catch {
    return null;
  }
};
