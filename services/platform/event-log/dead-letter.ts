import { createHash } from 'node:crypto';
import type { AppendRecord } from './event-log.ts';

/** Above this a dead letter keeps its hash and where the original lies, not its bytes. */
const BYTES_MAX = 256 * 1024;

/**
 * Something that can never be stored: the original bytes, where they came from and why. The key is the source, so
 * that a crash which writes it twice can be told from two different failures.
 */
export const deadLetter = (letter: { source: string; reason: string; original: Buffer }): AppendRecord => {
  const whole = letter.original.length <= BYTES_MAX;
  return {
    topic: 'dead-letters',
    key: letter.source,
    value: whole ? letter.original : Buffer.alloc(0),
    headers: {
      source: letter.source,
      reason: letter.reason,
      bytes: String(letter.original.length),
      sha256: createHash('sha256').update(letter.original).digest('hex'),
      whole: String(whole),
    },
  };
};
