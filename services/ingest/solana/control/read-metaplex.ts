import type { TokenMetadata } from '../../../investigate/model/control-event.ts';
import { METAPLEX_PROGRAM } from '../encoding/programs.ts';
import { accountAt, type CompiledInstruction } from '../instructions/compiled-instruction.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { BorshReader } from './borsh-reader.ts';
import { note, noteMetadata } from './note-control.ts';

const CREATE_METADATA = 0;
const UPDATE_METADATA = 1;
const UPDATE_METADATA_2 = 15;
const CREATE_METADATA_2 = 16;
const CREATE_METADATA_3 = 33;
const CREATE = 42;
const UPDATE = 50;
/** For `UPDATE` the update authority itself signs. */
const BY_AUTHORITY: readonly (number | undefined)[] = [0, 1];
const CREATOR_BYTES = 34;
const COLLECTION_BYTES = 33;
const USES_BYTES = 17;

/**
 * A token's description by Metaplex's Token Metadata program. Older updates name only the account that holds it,
 * which is then the subject, unless the block created it.
 */
export const readMetaplex = (ledger: Ledger, instruction: CompiledInstruction): void => {
  const key = (place: number): string => ledger.keys.at(accountAt(instruction, place));
  const reader = new BorshReader(instruction, 1);
  const { heldFor } = ledger.knowledge;
  const tell = (subject: string, holder: string, told: TokenMetadata | null): void => {
    if (told !== null) noteMetadata(ledger, subject, holder, told, METAPLEX_PROGRAM);
  };
  const handOver = (subject: string, holder: string, party: string | null | undefined): void => {
    if (!party || party === holder) return;
    const emitter = METAPLEX_PROGRAM;
    note(ledger, { kind: 'authority_changed', subject, holder, party, detail: 'metadata', emitter });
  };
  switch (instruction.data[instruction.start]) {
    case CREATE_METADATA:
    case CREATE_METADATA_2:
    case CREATE_METADATA_3:
      heldFor.set(key(0), key(1));
      tell(key(1), key(4), readNames(reader));
      return;
    case CREATE:
      reader.byte();
      heldFor.set(key(0), key(2));
      tell(key(2), key(5), readNames(reader));
      return;
    case UPDATE_METADATA:
    case UPDATE_METADATA_2: {
      const told = reader.byte() === 1 ? readNames(reader) : null;
      if (told !== null) skipRest(reader, instruction.data[instruction.start] === UPDATE_METADATA_2);
      const subject = heldFor.get(key(0)) ?? key(0);
      tell(subject, key(1), told);
      handOver(subject, key(1), reader.optionalKey());
      return;
    }
    case UPDATE: {
      if (!BY_AUTHORITY.includes(reader.byte())) return;
      const party = reader.optionalKey();
      if (reader.byte() === 1) tell(key(3), key(0), readNames(reader));
      handOver(key(3), key(0), party);
    }
  }
};

const readNames = (reader: BorshReader): TokenMetadata | null => {
  const [name, symbol, uri] = [reader.text(), reader.text(), reader.text()];
  return name === undefined || symbol === undefined || uri === undefined ? null : { name, symbol, uri };
};

/** After the names: the share of resales, the creators, and in version 2 the collection and number of uses. */
const skipRest = (reader: BorshReader, isVersion2: boolean): void => {
  reader.skip(2);
  if (reader.byte() === 1) reader.skip(CREATOR_BYTES * (reader.u32() ?? 0));
  if (!isVersion2) return;
  if (reader.byte() === 1) reader.skip(COLLECTION_BYTES);
  if (reader.byte() === 1) reader.skip(USES_BYTES);
};
