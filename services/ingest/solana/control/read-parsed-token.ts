import { exactAmount } from '../encoding/exact-integer.ts';
import type { Ledger } from '../ledger/ledger.ts';
import {
  noteApproval,
  noteAuthority,
  noteClosing,
  noteFrozen,
  noteGiven,
  noteMetadata,
  noteMint,
  noteTokenAuthority,
} from './note-control.ts';

type Info = Readonly<Record<string, unknown>>;

/** In the order of their numbers. */
const AUTHORITY_TYPES: readonly unknown[] = [
  ...['mintTokens', 'freezeAccount', 'accountOwner', 'closeAccount', 'transferFeeConfig', 'withheldWithdraw'],
  ...['closeMint', 'interestRate', 'permanentDelegate', 'confidentialTransferMint', 'transferHookProgramId'],
  ...['confidentialTransferFeeConfig', 'metadataPointer', 'groupPointer', 'groupMemberPointer'],
  ...['scaledUiAmount', 'pause', 'permissionedBurn'],
];

const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);
const either = (one: unknown, other: unknown): string => String(one ?? other);

/** Instructions of the Token programs as nodes parse them. */
export const readParsedToken = (ledger: Ledger, type: unknown, info: Info): void => {
  const indexOf = (field: string): number => ledger.keys.indexOf(info[field]);
  switch (type) {
    case 'initializeMint':
    case 'initializeMint2':
      noteMint(ledger, indexOf('mint'), String(info.mintAuthority), text(info.freezeAuthority));
      return;
    case 'setAuthority': {
      const number = AUTHORITY_TYPES.indexOf(info.authorityType);
      const index = ledger.keys.indexOf(info.account ?? info.mint);
      const holder = either(info.authority, info.multisigAuthority);
      if (number >= 0) noteTokenAuthority(ledger, index, number, holder, text(info.newAuthority));
      return;
    }
    case 'approve':
    case 'approveChecked': {
      const holder = either(info.owner, info.multisigOwner);
      const [party, mint] = [String(info.delegate), text(info.mint)];
      noteApproval(ledger, indexOf('source'), holder, party, amountOf(info), mint);
      return;
    }
    case 'revoke':
      noteApproval(ledger, indexOf('source'), either(info.owner, info.multisigOwner), null, 0n, null);
      return;
    case 'freezeAccount':
    case 'thawAccount': {
      const kind = type === 'freezeAccount' ? 'frozen' : 'thawed';
      const party = either(info.freezeAuthority, info.multisigFreezeAuthority);
      noteFrozen(ledger, kind, indexOf('account'), String(info.mint), party);
      return;
    }
    case 'closeAccount':
      noteClosing(ledger, indexOf('account'), either(info.owner, info.multisigOwner));
      return;
    default:
      readParsedExtension(ledger, type, info);
  }
};

const amountOf = ({ tokenAmount, amount }: Info): bigint =>
  exactAmount(typeof tokenAmount === 'object' && tokenAmount !== null ? Object(tokenAmount).amount : amount);

const readParsedExtension = (ledger: Ledger, type: unknown, info: Info): void => {
  const mint = String(info.mint);
  switch (type) {
    case 'initializeMintCloseAuthority':
      noteGiven(ledger, mint, 'other:6', text(info.newAuthority));
      return;
    case 'initializePermanentDelegate':
      noteGiven(ledger, mint, 'permanent_delegate', text(info.delegate));
      return;
    case 'initializeTransferFeeConfig':
      noteGiven(ledger, mint, 'transfer_fee', text(info.transferFeeConfigAuthority));
      return;
    case 'initializeTransferHook':
      noteGiven(ledger, mint, 'transfer_hook', text(info.authority));
      return;
    case 'initializePausableConfig':
      noteGiven(ledger, mint, 'pause', text(info.authority));
      return;
    case 'initializeTokenMetadata':
      noteMetadata(ledger, mint, String(info.updateAuthority), namesIn(info), null);
      return;
    case 'updateTokenMetadataField':
      if (info.field === 'name' || info.field === 'symbol' || info.field === 'uri')
        noteMetadata(
          ledger,
          String(info.metadata),
          String(info.updateAuthority),
          { [info.field]: String(info.value) },
          null,
        );
      return;
    case 'updateTokenMetadataAuthority':
      noteAuthority(
        ledger,
        String(info.metadata),
        'metadata',
        String(info.updateAuthority),
        text(info.newAuthority),
      );
  }
};

const namesIn = ({ name, symbol, uri }: Info) => ({
  name: String(name),
  symbol: String(symbol),
  uri: String(uri),
});
