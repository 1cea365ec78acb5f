import { BlockFormatError } from '../block-format-error.ts';
import { SourceError } from './source-error.ts';

/** Throws a `SourceError` if an answer lacks the promised shape: another node may do better. */
export const decodeAnswer = <T>(decode: () => T): T => {
  try {
    return decode();
  } catch (error) {
    if (error instanceof BlockFormatError) throw malformed(`${error.code}: ${error.message}`);
    throw error;
  }
};

export const malformed = (what: string): SourceError =>
  new SourceError('malformed', `the answer is malformed: ${what}`, { transient: true });
