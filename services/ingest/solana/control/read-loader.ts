import { readU32 } from '../encoding/exact-integer.ts';
import { LOADER } from '../encoding/programs.ts';
import { accountAt, type CompiledInstruction } from '../instructions/compiled-instruction.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { note, noteAuthority } from './note-control.ts';

const UPGRADEABLE = { deploy: 2, upgrade: 3, setAuthority: 4, close: 5, setAuthorityChecked: 7 } as const;
const VERSION_4 = { deploy: 3, transferAuthority: 5, finalize: 6 } as const;

/** Deployments and upgrade authorities of programs. If only the account with the code is named, it is the subject. */
export const readLoader = (ledger: Ledger, program: number, instruction: CompiledInstruction): void => {
  const { data, start, end, accounts } = instruction;
  if (end - start < 4) return;
  const key = (place: number): string => ledger.keys.at(accountAt(instruction, place));
  const tag = readU32(data, start);
  if (program !== LOADER) {
    readVersion4(ledger, tag, key);
    return;
  }
  switch (tag) {
    case UPGRADEABLE.deploy:
      noteDeployed(ledger, key(2), key(0), key(7), key(1));
      return;
    case UPGRADEABLE.upgrade:
      noteUpgraded(ledger, key(1), key(6), key(0));
      return;
    case UPGRADEABLE.setAuthority:
    case UPGRADEABLE.setAuthorityChecked:
      noteUpgrader(ledger, key(0), key(1), accounts.length > 2 ? key(2) : null);
      return;
    case UPGRADEABLE.close:
      // Of a program; buffers are closed after every deployment.
      if (accounts.length > 3) noteAuthority(ledger, key(3), 'upgrade', key(2), null);
  }
};

const readVersion4 = (ledger: Ledger, tag: number, key: (place: number) => string): void => {
  switch (tag) {
    case VERSION_4.deploy:
      noteDeployed(ledger, key(0), key(1), key(1), null);
      return;
    case VERSION_4.transferAuthority:
      noteAuthority(ledger, key(0), 'upgrade', key(1), key(2));
      return;
    case VERSION_4.finalize:
      noteAuthority(ledger, key(0), 'upgrade', key(1), null);
  }
};

/** `code`: the account that holds it, if that is another. */
export const noteDeployed = (
  ledger: Ledger,
  subject: string,
  holder: string,
  party: string,
  code: string | null,
): void => {
  if (code !== null) ledger.knowledge.heldFor.set(code, subject);
  note(ledger, { kind: 'program_deployed', subject, holder, party });
};

/** `holder` may upgrade it. */
export const noteUpgraded = (ledger: Ledger, subject: string, holder: string, code: string): void => {
  ledger.knowledge.heldFor.set(code, subject);
  note(ledger, { kind: 'program_upgraded', subject, holder });
};

/** The authority over an account's code; its program is the subject if the block names it, too. */
export const noteUpgrader = (ledger: Ledger, code: string, holder: string, party: string | null): void =>
  noteAuthority(ledger, ledger.knowledge.heldFor.get(code) ?? code, 'upgrade', holder, party);
