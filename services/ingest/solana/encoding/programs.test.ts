import { expect, test } from 'vitest';
import { decodeBase58Into } from './base58.ts';
import { OTHER, programKind, programKindOfBytes, SYSTEM, TOKEN, VOTE, VOTE_PROGRAM } from './programs.ts';

test.each([
  ['11111111111111111111111111111111', SYSTEM],
  ['TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA', TOKEN],
  [VOTE_PROGRAM, VOTE],
])(
  '%s is told from its bytes wherever they lie, and an account that differs in any one byte is not it',
  (id, kind) => {
    expect(programKind(id)).toBe(kind);
    const at = 5;
    const bytes = new Uint8Array(at + 32);
    decodeBase58Into(id, bytes.subarray(at));
    expect(programKindOfBytes(bytes, at)).toBe(kind);
    for (let i = at; i < at + 32; i++) {
      const other = Uint8Array.from(bytes, (byte, place) => (place === i ? byte ^ 1 : byte));
      expect(programKindOfBytes(other, at)).toBe(OTHER);
    }
  },
);
