import { LOADER, STAKE, SYSTEM, TOKEN, TOKEN_2022, VOTE } from '../encoding/programs.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { noteAssigned, noteAuthority } from './note-control.ts';
import { noteDeployed, noteUpgraded, noteUpgrader } from './read-loader.ts';
import { readParsedToken } from './read-parsed-token.ts';

type Info = Readonly<Record<string, unknown>>;

/** Records what a parsed instruction says of control, like its compiled form. */
export const readParsedControl = (ledger: Ledger, program: number, type: unknown, info: Info): void => {
  if (program === TOKEN || program === TOKEN_2022) readParsedToken(ledger, type, info);
  else if (program === SYSTEM) readParsedSystem(ledger, type, info);
  else if (program === STAKE) readAuthorize(ledger, type, info, info.stakeAccount, 'stake');
  else if (program === VOTE) readAuthorize(ledger, type, info, info.voteAccount, 'vote');
  else if (program === LOADER) readParsedLoader(ledger, type, info);
};

const readParsedSystem = (ledger: Ledger, type: unknown, info: Info): void => {
  const indexOf = (field: string): number => ledger.keys.indexOf(info[field]);
  switch (type) {
    case 'assign':
      noteAssigned(ledger, indexOf('account'), indexOf('account'), String(info.owner));
      return;
    case 'assignWithSeed':
      noteAssigned(ledger, indexOf('account'), indexOf('base'), String(info.owner));
      return;
    case 'authorizeNonce': {
      const [nonce, holder] = [String(info.nonceAccount), String(info.nonceAuthority)];
      noteAuthority(ledger, nonce, 'nonce', holder, String(info.newAuthorized));
    }
  }
};

const readAuthorize = (
  ledger: Ledger,
  type: unknown,
  info: Info,
  subject: unknown,
  own: 'stake' | 'vote',
): void => {
  if (type !== 'authorize' && type !== 'authorizeChecked') return;
  const role = info.authorityType === 'Withdrawer' ? 'withdraw' : own;
  noteAuthority(ledger, String(subject), role, String(info.authority), String(info.newAuthority));
};

const readParsedLoader = (ledger: Ledger, type: unknown, info: Info): void => {
  const { authority, programAccount } = info;
  switch (type) {
    case 'deployWithMaxDataLen':
      noteDeployed(
        ledger,
        String(programAccount),
        String(info.payerAccount),
        String(authority),
        String(info.programDataAccount),
      );
      return;
    case 'upgrade':
      noteUpgraded(ledger, String(programAccount), String(authority), String(info.programDataAccount));
      return;
    case 'setAuthority':
    case 'setAuthorityChecked': {
      const party = typeof info.newAuthority === 'string' ? info.newAuthority : null;
      noteUpgrader(ledger, String(info.account), String(authority), party);
      return;
    }
    case 'close':
      if (typeof programAccount === 'string')
        noteAuthority(ledger, programAccount, 'upgrade', String(authority), null);
  }
};
