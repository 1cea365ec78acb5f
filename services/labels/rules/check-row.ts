import { parseAddress } from '../../investigate/model/address.ts';
import { decodeBase58 } from '../../investigate/model/base58.ts';
import type { Chain } from '../../investigate/model/chain.ts';
import type { AssertedLabel, LabelKind } from '../../investigate/model/label.ts';
import { chainOf } from './chain-names.ts';
import { entityOf, kindOf } from './vocabulary.ts';

/** One statement of a list about one address, in the list's own words. */
export type LabelRow = {
  /** Where it stands, for a person: `line 12`. */
  readonly where: string;
  readonly chain: string;
  readonly address: string;
  /** Empty if the list has none: the first category then stands for it. */
  readonly name: string;
  readonly categories: readonly string[];
  /** If the list uses our kinds; otherwise it follows from name and categories. */
  readonly kind?: LabelKind;
  readonly entity?: string;
  readonly source: string;
  readonly creator: string;
  readonly confidence: number;
  readonly validFrom?: number | null;
  readonly validTo?: number | null;
  readonly evidence: string;
  /** null: the time of import. */
  readonly assertedAt: number | null;
};

export type RefusalCode =
  | 'unreadable'
  | 'no_address'
  | 'no_name'
  | 'reserved_source'
  | 'chain_not_served'
  | 'wrong_length'
  | 'bad_checksum'
  | 'not_an_address'
  | 'lower_cased'
  | 'null_address'
  | 'vote_account'
  /** An accusation of what another list calls a service. */
  | 'quarantined';

export type Refusal = {
  readonly where: string;
  readonly address: string;
  readonly code: RefusalCode;
  readonly reason: string;
};
export type CheckedRow =
  | { readonly label: AssertedLabel; readonly refusal?: undefined }
  | { readonly label?: undefined; readonly refusal: Refusal };

const TEXT_MAX = 200;
const NULL_EVM = `0x${'0'.repeat(40)}`;
const NO_ACCOUNTS: ReadonlySet<string> = new Set();
const VOTE_ACCOUNT = /\bvote account\b|\bstaking_vote\b/i;

/**
 * A row's label, or why it is refused. `nowUnixSeconds` replaces missing times. An address does not show that it
 * is a vote account: the row's words or `voteAccounts` do.
 */
export const checkRow = (
  row: LabelRow,
  nowUnixSeconds: number,
  voteAccounts: ReadonlySet<string> = NO_ACCOUNTS,
): CheckedRow => {
  const refuse = (code: RefusalCode, reason: string): CheckedRow => ({
    refusal: { where: row.where, address: row.address, code, reason },
  });
  const text = row.address.trim();
  if (text === '') return refuse('no_address', 'says no address');
  const chain = chainOf(row.chain, text);
  if (chain === null)
    return refuse('chain_not_served', `is on ${row.chain || 'no chain'}, which is not served`);
  const wrong = whyNoAddress(chain, text);
  if (wrong) return refuse(...wrong);
  if (voteAccounts.has(text) || [row.name, ...row.categories].some((words) => VOTE_ACCOUNT.test(words)))
    return refuse('vote_account', 'is the vote account of a validator: nobody holds money in it');
  const name = cut(row.name || row.categories[0] || '');
  if (name === '') return refuse('no_name', 'says neither a name nor a category');
  const address = chain.family === 'evm' ? text.toLowerCase() : text;
  const kind = row.kind ?? kindOf({ name: cut(row.name), categories: row.categories });
  return {
    label: {
      chain: chain.name,
      address,
      name,
      kind,
      entity: entityOf({ name, kind, said: cut(row.entity ?? '') }),
      category: cut(row.categories.join(', ')),
      source: cut(row.source),
      creator: cut(row.creator),
      confidence: row.confidence,
      validFrom: row.validFrom ?? null,
      validTo: row.validTo ?? null,
      inheritedFrom: null,
      evidence: cut(row.evidence),
      // A future date would win over everything said before it.
      assertedAt: Math.min(row.assertedAt ?? nowUnixSeconds, nowUnixSeconds),
    },
  };
};

/** As log and tables return it: half a character left by a cut would come back as another one. */
const cut = (text: string): string => text.trim().slice(0, TEXT_MAX).toWellFormed();

const whyNoAddress = (chain: Chain, text: string): [RefusalCode, string] | null =>
  chain.family === 'evm' ? whyNoEvmAddress(chain, text) : whyNoSolanaAddress(chain, text);

const whyNoEvmAddress = (chain: Chain, text: string): [RefusalCode, string] | null => {
  if (!/^0x[0-9a-f]*$/i.test(text)) return ['not_an_address', `is not an address on ${chain.name}`];
  if (text.length !== NULL_EVM.length) return ['wrong_length', `has ${text.length - 2} digits instead of 40`];
  if (text === NULL_EVM) return ['null_address', 'is the null address, which stands for nobody'];
  const parsed = parseAddress(chain, text);
  return parsed.ok ? null : ['bad_checksum', parsed.message];
};

/** Base58 has no zero, and no prefixes of other chains. */
const OF_ANOTHER_CHAIN = /^(0x[0-9a-f]*|bc1[0-9a-z]+)$/i;

const whyNoSolanaAddress = (chain: Chain, text: string): [RefusalCode, string] | null => {
  if (!/^[0-9a-zA-Z]+$/.test(text) || OF_ANOTHER_CHAIN.test(text))
    return ['not_an_address', 'is not an address on solana'];
  // Of 43 random characters some are capitals. A list without any has lost them and names other addresses.
  if (/[a-z]/.test(text) && !/[A-Z]/.test(text) && text.length >= 32)
    return ['lower_cased', 'has lost its capital letters, and with them its meaning'];
  if (parseAddress(chain, text).ok) return null;
  if (text.length > 128) return ['wrong_length', 'is base58 of far more than 32 bytes'];
  const bytes = decodeBase58(text);
  if (bytes === null) return ['not_an_address', 'has characters that base58 does not have'];
  return ['wrong_length', `is base58 of ${bytes.length} bytes instead of 32`];
};
