import {
  type AuthorityRole,
  metadataDetail,
  type TokenMetadata,
} from '../../../investigate/model/control-event.ts';
import { NATIVE } from '../../../investigate/model/movement.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { isWrappedNative } from '../ledger/wrapped-native.ts';
import type { ControlDraft } from './control-draft.ts';

/**
 * Records what an instruction says of control while it is replayed, because the ledger then knows a token
 * account's owner.
 */
export const note = (
  ledger: Ledger,
  told: Pick<ControlDraft, 'kind' | 'subject'> & Partial<ControlDraft>,
): void => {
  const { holder = null } = told;
  ledger.controls ??= [];
  ledger.controls.push({
    ...{ holder, party: null, asset: null, amountRaw: 0n, detail: null, emitter: null },
    byHolder: holder !== null && hasSigned(ledger, holder),
    ...told,
  });
};

const hasSigned = ({ keys, signerCount }: Ledger, address: string): boolean => {
  for (let i = 0; i < signerCount; i++) if (keys.at(i) === address) return true;
  return false;
};

/** The mint of a token account; null if the block does not say it. */
const assetOf = ({ tokens, knowledge, keys }: Ledger, account: number): string | null => {
  const mint = tokens[account]?.mint ?? knowledge.mints.get(keys.at(account)) ?? null;
  return mint && assetOfMint(mint);
};

const assetOfMint = (mint: string): string => (isWrappedNative(mint) ? NATIVE : mint);

export const noteMint = (ledger: Ledger, mint: number, minter: string, freezer: string | null): void => {
  const subject = ledger.keys.at(mint);
  note(ledger, { kind: 'mint_created', subject, holder: ledger.keys.at(0) });
  noteGiven(ledger, subject, 'mint', minter);
  noteGiven(ledger, subject, 'freeze', freezer);
};

/** An authority over something new. */
export const noteGiven = (
  ledger: Ledger,
  subject: string,
  detail: AuthorityRole,
  party: string | null,
): void => {
  if (party !== null) note(ledger, { kind: 'authority_changed', subject, party, detail });
};

export const noteAuthority = (
  ledger: Ledger,
  subject: string,
  detail: AuthorityRole,
  holder: string,
  party: string | null,
): void => note(ledger, { kind: 'authority_changed', subject, holder, party, detail });

/** As SPL Token and Token-2022 number them. */
const TOKEN_ROLES: readonly AuthorityRole[] = [
  ...(['mint', 'freeze', 'owner', 'close', 'transfer_fee', 'other:5', 'other:6', 'other:7'] as const),
  ...(['permanent_delegate', 'other:9', 'transfer_hook', 'other:11', 'other:12', 'other:13'] as const),
  ...(['other:14', 'other:15', 'pause'] as const),
];
const OF_ACCOUNTS: readonly AuthorityRole[] = ['owner', 'close'];

/** The signer of a change held the authority until then. */
export const noteTokenAuthority = (
  ledger: Ledger,
  index: number,
  type: number,
  holder: string,
  party: string | null,
): void => {
  const detail = TOKEN_ROLES[type] ?? `other:${type}`;
  const asset = OF_ACCOUNTS.includes(detail) ? assetOf(ledger, index) : null;
  note(ledger, { kind: 'authority_changed', subject: ledger.keys.at(index), holder, party, asset, detail });
};

export const noteApproval = (
  ledger: Ledger,
  account: number,
  holder: string,
  party: string | null,
  amountRaw: bigint,
  mint: string | null,
): void => {
  const asset = mint === null ? assetOf(ledger, account) : assetOfMint(mint);
  note(ledger, { kind: 'approval', subject: ledger.keys.at(account), holder, party, asset, amountRaw });
};

export const noteFrozen = (
  ledger: Ledger,
  kind: 'frozen' | 'thawed',
  account: number,
  mint: string,
  party: string,
): void => {
  const holder = ledger.tokens[account]?.owner ?? null;
  const asset = assetOfMint(mint);
  note(ledger, { kind, subject: ledger.keys.at(account), holder, party, asset });
};

// Anybody may close what belongs to these.
const NOBODYS = ['11111111111111111111111111111111', '1nc1nerator11111111111111111111111111111111'];

/** Closed by another than the owner: he had the authority to close. */
export const noteClosing = (ledger: Ledger, account: number, party: string): void => {
  const holder = ledger.tokens[account]?.owner ?? null;
  if (holder === null || holder === party || NOBODYS.includes(holder)) return;
  const asset = assetOf(ledger, account);
  const subject = ledger.keys.at(account);
  note(ledger, { kind: 'authority_changed', subject, holder, party, asset, detail: 'close' });
};

/** `holder` may change it. */
export const noteMetadata = (
  ledger: Ledger,
  subject: string,
  holder: string,
  told: Partial<TokenMetadata>,
  emitter: string | null,
): void => {
  const detail = metadataDetail({ name: plain(told.name), symbol: plain(told.symbol), uri: plain(told.uri) });
  note(ledger, { kind: 'metadata', subject, holder, detail, emitter });
};

/** The oldest programs pad names with zeros. */
const plain = (text = ''): string => text.replaceAll('\0', '');

/** An existing wallet that signed; new accounts are assigned when they are created. */
export const noteAssigned = (ledger: Ledger, account: number, signer: number, program: string): void => {
  const before = ledger.meta.preBalances[ledger.checked(account)];
  if (signer >= ledger.signerCount || before === 0 || before === 0n) return;
  const [subject, holder] = [ledger.keys.at(account), ledger.keys.at(signer)];
  note(ledger, { kind: 'owner_assigned', subject, holder, party: program });
};
