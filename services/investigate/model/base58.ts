import { base58 } from '@scure/base';

/**
 * The bytes of a base58 text; null when it is not base58. Takes quadratic time, so limit the text's length
 * first.
 */
export const decodeBase58 = (text: string): Uint8Array | null => {
  try {
    return base58.decode(text);
  } catch {
    return null;
  }
};
