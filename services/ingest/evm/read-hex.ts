import { BlockFormatError } from '../block-format-error.ts';

/** An unchecked object from `JSON.parse`. */
export type RawObject = { readonly [field: string]: unknown };

const HASH = /^0x[0-9a-fA-F]{64}$/;

/** An error for a wrong field, with a short excerpt. */
export const malformed = (field: string, value: unknown): BlockFormatError => {
  if (value === undefined || value === null)
    return new BlockFormatError('field_missing', `${field} is missing`);
  const shown = typeof value === 'object' ? 'an object' : JSON.stringify(String(value).slice(0, 80));
  return new BlockFormatError('field_malformed', `${field} is malformed: ${shown}`);
};

/** Throws `BlockFormatError` (`not_an_object`). */
export const readObject = (value: unknown, field: string): RawObject => {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as RawObject;
  throw new BlockFormatError('not_an_object', `${field} is not an object`);
};

/** undefined if it is no object. */
export const fieldOf = (value: unknown, field: string): unknown =>
  typeof value === 'object' && value !== null ? (value as RawObject)[field] : undefined;

/** Throws `BlockFormatError` (`not_an_array`). */
export const readArray = (value: unknown, field: string): readonly unknown[] => {
  if (Array.isArray(value)) return value;
  throw new BlockFormatError('not_an_array', `${field} is not an array`);
};

/** In lower case; empty if it is no text. An object may have a harmful `toString`. */
export const lowerOf = (value: unknown): string => (typeof value === 'string' ? value.toLowerCase() : '');

/** A value that is not a list counts as an empty one. */
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** 32 bytes, in lower case. Throws `BlockFormatError` (`field_missing`, `field_malformed`), as the readers below do. */
export const readHash = (value: unknown, field: string): string => {
  if (typeof value === 'string' && HASH.test(value)) return value.toLowerCase();
  throw malformed(field, value);
};

/** An unsigned integer of at most 32 bytes. */
export const readQuantity = (value: unknown, field: string): bigint => {
  if (value === '0x0') return 0n;
  if (typeof value === 'string' && value.length <= 66 && value.startsWith('0x')) {
    try {
      return BigInt(value);
    } catch {
      // Non-hex is reported below. BigInt checks digits faster than a pattern would.
    }
  }
  throw malformed(field, value);
};

export const readQuantityOr = <Other>(value: unknown, field: string, other: Other): bigint | Other =>
  value === undefined || value === null ? other : readQuantity(value, field);

/** An unsigned integer that a double holds exactly. */
export const readNumber = (value: unknown, field: string): number => {
  const number = Number(readQuantity(value, field));
  if (Number.isSafeInteger(number)) return number;
  throw malformed(field, value);
};
