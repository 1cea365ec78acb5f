import { ApiError } from '../errors.ts';
import { findDuplicateKey } from './find-duplicate-key.ts';

const KEY_SHOWN_MAX = 64;
const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * JSON in UTF-8. A key that stands twice in one object is refused: which of the two counts would be up to the parser,
 * and a call that costs money must not depend on that. Throws `ApiError` `invalid_json`.
 */
export const parseJson = (bytes: Uint8Array): unknown => {
  const text = decode(bytes);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new ApiError('invalid_json', { cause });
  }
  const duplicate = findDuplicateKey(text);
  if (duplicate !== null)
    throw new ApiError('invalid_json', {
      sentence: `The body names ${showKey(duplicate)} twice in one object.`,
    });
  return value;
};

const decode = (bytes: Uint8Array): string => {
  try {
    return utf8.decode(bytes);
  } catch (cause) {
    throw new ApiError('invalid_json', { sentence: 'The body is not UTF-8.', cause });
  }
};

/** A caller's key as an answer may repeat it: short, without halves of characters, and never nothing. */
export const showKey = (key: string): string =>
  (key.length > KEY_SHOWN_MAX ? `${key.slice(0, KEY_SHOWN_MAX)}…` : key).toWellFormed() || '""';
