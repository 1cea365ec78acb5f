import { ApiError } from '../errors.ts';
import { findDuplicateKey } from './find-duplicate-key.ts';

const KEY_SHOWN_MAX = 64;
/** Far above any real request. Deeper JSON can be parsed but not written again. */
const LEVELS_MAX = 100;
/** Ten thousand anchors are half of it. Reading many times more would block other requests for seconds. */
const VALUES_MAX = 250_000;
const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Parses JSON in UTF-8. Refuses duplicate keys: parsers differ on which one counts, and a paid call must not
 * depend on that. Throws `ApiError` `invalid_json`.
 */
export const parseJson = (bytes: Uint8Array): unknown => {
  if (hasMoreValues(bytes))
    throw new ApiError('invalid_json', { sentence: `The body holds more than ${VALUES_MAX} values.` });
  const text = decode(bytes);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new ApiError('invalid_json', { cause });
  }
  if (isDeeper(value, LEVELS_MAX))
    throw new ApiError('invalid_json', { sentence: `The body is nested deeper than ${LEVELS_MAX} levels.` });
  const duplicate = findDuplicateKey(text);
  if (duplicate !== null)
    throw new ApiError('invalid_json', {
      sentence: `The body names ${showKey(duplicate)} twice in one object.`,
    });
  return value;
};

const [COMMA, BRACKET, BRACE] = Buffer.from(',[{');

/** Those in strings count, too. */
const hasMoreValues = (bytes: Uint8Array): boolean => {
  if (bytes.length <= VALUES_MAX) return false;
  let count = 0;
  for (const byte of bytes) if (byte === COMMA || byte === BRACKET || byte === BRACE) count += 1;
  return count > VALUES_MAX;
};

const isDeeper = (value: unknown, levels: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((each) => isDeeper(each, levels - 1)));

const decode = (bytes: Uint8Array): string => {
  try {
    return utf8.decode(bytes);
  } catch (cause) {
    throw new ApiError('invalid_json', { sentence: 'The body is not UTF-8.', cause });
  }
};

/** A caller's key in a form that an answer may repeat: short, whole characters, never empty. */
export const showKey = (key: string): string =>
  (key.length > KEY_SHOWN_MAX ? `${key.slice(0, KEY_SHOWN_MAX)}…` : key).toWellFormed() || '""';
