import { readU32 } from '../encoding/exact-integer.ts';
import { accountAt, type CompiledInstruction } from '../instructions/compiled-instruction.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { BorshReader } from './borsh-reader.ts';
import { noteAuthority, noteMetadata } from './note-control.ts';

// The first four of the eight bytes that mark the interface's instructions; no Token-2022 tag is that high.
const INITIALIZE = 0xa21ee1d2;
const UPDATE_FIELD = 0x2d31e9dd;
const UPDATE_AUTHORITY = 0xe4a6e4d7;
const DISCRIMINATOR_BYTES = 8;
const FIELDS = ['name', 'symbol', 'uri'] as const;

/** A Token-2022 token's description of itself (SPL Token Metadata Interface), stored in its mint. */
export const readTokenMetadata = (ledger: Ledger, instruction: CompiledInstruction): void => {
  const { data, start, end } = instruction;
  if (end - start < DISCRIMINATOR_BYTES) return;
  const key = (place: number): string => ledger.keys.at(accountAt(instruction, place));
  const reader = new BorshReader(instruction, DISCRIMINATOR_BYTES);
  switch (readU32(data, start)) {
    case INITIALIZE: {
      const [name, symbol, uri] = [reader.text(), reader.text(), reader.text()];
      if (name !== undefined && symbol !== undefined && uri !== undefined)
        noteMetadata(ledger, key(2), key(1), { name, symbol, uri }, null);
      return;
    }
    case UPDATE_FIELD: {
      const field = FIELDS[reader.byte() ?? FIELDS.length];
      const text = reader.text();
      if (field !== undefined && text !== undefined)
        noteMetadata(ledger, key(0), key(1), { [field]: text }, null);
      return;
    }
    case UPDATE_AUTHORITY: {
      const party = reader.keyOrZeros();
      if (party !== undefined) noteAuthority(ledger, key(0), 'metadata', key(1), party);
    }
  }
};
