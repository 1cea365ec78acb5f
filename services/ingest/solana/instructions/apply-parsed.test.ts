import { expect, test } from 'vitest';
import type { Movement } from '../../../investigate/model/movement.ts';
import {
  block,
  FEE,
  join,
  keyBytes,
  keyOf,
  RENT,
  STAKE,
  SYSTEM,
  type TestAccount,
  TOKEN,
  TOKEN_2022,
  transaction,
  u32,
  u64,
  VOTE,
  WRAPPED_SOL,
} from '../../../testing/solana/build-transaction.ts';
import { findSumRuleBreaks } from '../../../testing/solana/sum-rule.ts';
import { decodeSolanaBlock } from '../decode-solana-block.ts';
import type { RawTransaction } from '../encoding/raw-block.ts';

const CLOCK = 'SysvarC1ock11111111111111111111111111111111';

type Case = {
  readonly program: string;
  readonly accounts: readonly string[];
  readonly data: Uint8Array;
  /** As a node parses it; names stand for keys. */
  readonly parsed: { readonly type: string; readonly info: Record<string, unknown> };
  /** `kind from -> to amount (by authority)`, native unless a mint is named. */
  readonly rows: readonly string[];
};

const payer: TestAccount = { name: 'alice', before: 10_000n, after: 10_000n - FEE };
const seed = join([4, 0, 0, 0, 0, 0, 0, 0], new TextEncoder().encode('seed'));
const amountOf = (amount: number): object => ({ amount: String(amount), decimals: 6, uiAmountString: '0' });

const CASES: Record<string, Case & { readonly state: readonly TestAccount[] }> = {
  'System transferWithSeed': {
    program: SYSTEM,
    accounts: ['vault', 'bob', 'carol'],
    data: join(u32(11), u64(70n), seed, keyBytes('program')),
    parsed: {
      type: 'transferWithSeed',
      info: { source: 'vault', sourceBase: 'bob', destination: 'carol', lamports: 70 },
    },
    state: [
      { name: 'vault', before: 70n, after: 0n },
      { name: 'carol', before: 0n, after: 70n },
    ],
    rows: ['transfer vault -> carol 70 by bob'],
  },
  'System createAccountWithSeed': {
    program: SYSTEM,
    accounts: ['bob', 'vault', 'bob'],
    data: join(u32(3), keyBytes('bob'), seed, u64(90n), u64(10n), keyBytes('program')),
    parsed: {
      type: 'createAccountWithSeed',
      info: { source: 'bob', newAccount: 'vault', base: 'bob', lamports: 90, space: 10 },
    },
    state: [
      { name: 'bob', before: 90n, after: 0n },
      { name: 'vault', before: 0n, after: 90n },
    ],
    rows: ['transfer bob -> vault 90'],
  },
  'System createAccountAllowPrefund': {
    program: SYSTEM,
    accounts: ['vault', 'bob'],
    data: join(u32(13), u64(90n), u64(10n), keyBytes('program')),
    parsed: {
      type: 'createAccountAllowPrefund',
      info: { newAccount: 'vault', source: 'bob', lamports: 90, space: 10 },
    },
    state: [
      { name: 'bob', before: 90n, after: 0n },
      { name: 'vault', before: 5n, after: 95n },
    ],
    rows: ['transfer bob -> vault 90'],
  },
  'System createAccountAllowPrefund without a payer': {
    program: SYSTEM,
    accounts: ['vault'],
    data: join(u32(13), u64(0n), u64(10n), keyBytes('program')),
    parsed: { type: 'createAccountAllowPrefund', info: { newAccount: 'vault', space: 10 } },
    state: [{ name: 'vault', before: 5n, after: 5n }],
    rows: [],
  },
  'System withdrawNonceAccount': {
    program: SYSTEM,
    accounts: ['vault', 'bob', 'a sysvar', 'the rent sysvar', 'carol'],
    data: join(u32(5), u64(12n)),
    parsed: {
      type: 'withdrawFromNonce',
      info: { nonceAccount: 'vault', destination: 'bob', nonceAuthority: 'carol', lamports: 12 },
    },
    state: [
      { name: 'vault', before: 20n, after: 8n },
      { name: 'bob', before: 0n, after: 12n },
    ],
    rows: ['transfer vault -> bob 12 by carol'],
  },
  'Stake withdraw with its sysvars': {
    program: STAKE,
    accounts: ['vault', 'bob', CLOCK, 'stake history', 'carol'],
    data: join(u32(4), u64(12n)),
    parsed: {
      type: 'withdraw',
      info: { stakeAccount: 'vault', destination: 'bob', withdrawAuthority: 'carol', lamports: 12 },
    },
    state: [
      { name: 'vault', before: 20n, after: 8n },
      { name: 'bob', before: 0n, after: 12n },
    ],
    rows: ['transfer vault -> bob 12 by carol'],
  },
  'Stake merge': {
    program: STAKE,
    accounts: ['bob', 'vault', CLOCK, 'stake history', 'carol'],
    data: u32(7),
    parsed: { type: 'merge', info: { destination: 'bob', source: 'vault', stakeAuthority: 'carol' } },
    state: [
      { name: 'vault', before: 20n, after: 0n },
      { name: 'bob', before: 1n, after: 21n },
    ],
    rows: ['transfer vault -> bob 20 by carol'],
  },
  'Stake moveLamports': {
    program: STAKE,
    accounts: ['vault', 'bob', 'carol'],
    data: join(u32(17), u64(3n)),
    parsed: {
      type: 'moveLamports',
      info: { source: 'vault', destination: 'bob', stakeAuthority: 'carol', lamports: 3 },
    },
    state: [
      { name: 'vault', before: 20n, after: 17n },
      { name: 'bob', before: 1n, after: 4n },
    ],
    rows: ['transfer vault -> bob 3 by carol'],
  },
  'Stake moveStake': {
    program: STAKE,
    accounts: ['vault', 'bob', 'carol'],
    data: join(u32(16), u64(3n)),
    parsed: {
      type: 'moveStake',
      info: { source: 'vault', destination: 'bob', stakeAuthority: 'carol', lamports: 3 },
    },
    state: [
      { name: 'vault', before: 20n, after: 17n },
      { name: 'bob', before: 1n, after: 4n },
    ],
    rows: ['transfer vault -> bob 3 by carol'],
  },
  'Vote withdraw': {
    program: VOTE,
    accounts: ['vault', 'bob', 'carol'],
    data: join(u32(3), u64(3n)),
    parsed: {
      type: 'withdraw',
      info: { voteAccount: 'vault', destination: 'bob', withdrawAuthority: 'carol', lamports: 3 },
    },
    state: [
      { name: 'vault', before: 20n, after: 17n },
      { name: 'bob', before: 1n, after: 4n },
    ],
    rows: ['transfer vault -> bob 3 by carol'],
  },
  'Token transferCheckedWithFee': {
    program: TOKEN_2022,
    accounts: ['from', 'mint', 'to', 'alice'],
    data: join([26, 1], u64(100n), [6], u64(3n)),
    parsed: {
      type: 'transferCheckedWithFee',
      info: {
        source: 'from',
        mint: 'mint',
        destination: 'to',
        authority: 'alice',
        tokenAmount: amountOf(100),
        feeAmount: amountOf(3),
      },
    },
    state: [
      { name: 'from', mint: 'mint', owner: 'alice', amountBefore: 100n, amountAfter: 0n },
      { name: 'to', mint: 'mint', owner: 'bob', amountBefore: 0n, amountAfter: 97n },
    ],
    rows: ['transfer alice -> bob 97 mint', 'fee alice -> nobody 3 mint'],
  },
  'Token mintToChecked by a multisignature account': {
    program: TOKEN,
    accounts: ['mint', 'to', 'several', 'carol'],
    data: join([14], u64(8n), [6]),
    parsed: {
      type: 'mintToChecked',
      info: {
        mint: 'mint',
        account: 'to',
        multisigMintAuthority: 'several',
        signers: ['carol'],
        tokenAmount: amountOf(8),
      },
    },
    state: [{ name: 'to', mint: 'mint', owner: 'bob', amountBefore: 0n, amountAfter: 8n }],
    rows: ['mint nobody -> bob 8 mint by several'],
  },
  'Token burn by a delegate': {
    program: TOKEN,
    accounts: ['from', 'mint', 'carol'],
    data: join([8], u64(8n)),
    parsed: { type: 'burn', info: { account: 'from', mint: 'mint', authority: 'carol', amount: '8' } },
    state: [{ name: 'from', mint: 'mint', owner: 'bob', amountBefore: 9n, amountAfter: 1n }],
    rows: ['burn bob -> nobody 8 mint by carol'],
  },
  'Token permissioned burn': {
    program: TOKEN_2022,
    accounts: ['from', 'mint', 'gate', 'bob'],
    data: join([46, 2], u64(8n), [6]),
    parsed: {
      type: 'permissionedBurnChecked',
      info: {
        account: 'from',
        mint: 'mint',
        permissionedBurnAuthority: 'gate',
        authority: 'bob',
        tokenAmount: amountOf(8),
      },
    },
    state: [{ name: 'from', mint: 'mint', owner: 'bob', amountBefore: 9n, amountAfter: 1n }],
    rows: ['burn bob -> nobody 8 mint'],
  },
  'Token unwrapLamports of everything': {
    program: TOKEN,
    accounts: ['from', 'bob', 'alice'],
    data: Uint8Array.of(45, 0),
    parsed: { type: 'unwrapLamports', info: { source: 'from', destination: 'bob', authority: 'alice' } },
    state: [
      {
        name: 'from',
        mint: WRAPPED_SOL,
        owner: 'alice',
        amountBefore: 40n,
        amountAfter: 0n,
        before: RENT + 40n,
        after: RENT,
      },
      { name: 'bob', before: 0n, after: 40n },
    ],
    rows: ['transfer alice -> bob 40'],
  },
  'Token withdrawWithheldTokensFromMint': {
    program: TOKEN_2022,
    accounts: ['mint', 'to', 'carol'],
    data: Uint8Array.of(26, 2),
    parsed: {
      type: 'withdrawWithheldTokensFromMint',
      info: { mint: 'mint', feeRecipient: 'to', withdrawWithheldAuthority: 'carol' },
    },
    state: [{ name: 'to', mint: 'mint', owner: 'bob', amountBefore: 0n, amountAfter: 8n }],
    rows: ['fee nobody -> bob 8 mint'],
  },
  'Token confidential deposit': {
    program: TOKEN_2022,
    accounts: ['from', 'mint', 'bob'],
    data: join([27, 5], u64(8n), [6]),
    parsed: {
      type: 'depositConfidentialTransfer',
      info: { source: 'from', mint: 'mint', amount: 8, owner: 'bob' },
    },
    state: [{ name: 'from', mint: 'mint', owner: 'bob', amountBefore: 9n, amountAfter: 1n }],
    rows: ['wrap bob -> nobody 8 mint'],
  },
  'Token confidential withdrawal with its proofs': {
    program: TOKEN_2022,
    accounts: ['to', 'mint', 'equality proof', 'range proof', 'carol'],
    data: join([27, 6], u64(8n), [6]),
    parsed: {
      type: 'withdrawConfidentialTransfer',
      info: { source: 'to', mint: 'mint', amount: 8, owner: 'carol' },
    },
    state: [{ name: 'to', mint: 'mint', owner: 'bob', amountBefore: 1n, amountAfter: 9n }],
    rows: ['unwrap nobody -> bob 8 mint by carol'],
  },
  'Token withdrawExcessLamports of a mint': {
    program: TOKEN,
    accounts: ['mint', 'bob', 'carol'],
    data: Uint8Array.of(38),
    parsed: {
      type: 'withdrawExcessLamports',
      info: { source: 'mint', destination: 'bob', authority: 'carol' },
    },
    state: [
      { name: 'mint', before: 50n, after: 10n },
      { name: 'bob', before: 0n, after: 40n },
    ],
    rows: ['program mint -> bob 40'],
  },
  'Token amountToUiAmount': {
    program: TOKEN_2022,
    accounts: ['mint'],
    data: join([23], u64(8n)),
    parsed: { type: 'amountToUiAmount', info: { mint: 'mint', amount: '8' } },
    state: [],
    rows: [],
  },
  'Token batch': {
    program: TOKEN,
    accounts: ['from', 'to', 'bob', 'to', 'mint', 'carol'],
    data: join([255, 3, 9, 3], u64(5n), [3, 9, 8], u64(2n)),
    parsed: {
      type: 'batch',
      info: {
        instructions: [
          { type: 'transfer', info: { source: 'from', destination: 'to', authority: 'bob', amount: '5' } },
          { type: 'burn', info: { account: 'to', mint: 'mint', authority: 'carol', amount: '2' } },
        ],
      },
    },
    state: [
      { name: 'from', mint: 'mint', owner: 'bob', amountBefore: 9n, amountAfter: 4n },
      { name: 'to', mint: 'mint', owner: 'carol', amountBefore: 0n, amountAfter: 3n },
    ],
    rows: ['transfer bob -> carol 5 mint', 'burn carol -> nobody 2 mint'],
  },
};

const NAMES = ['alice', 'bob', 'carol', 'vault', 'several', 'mint'];
const nameOf = (key: string | null): string =>
  key === null ? 'nobody' : (NAMES.find((name) => keyOf(name) === key) ?? key);

const tell = ({ kind, from, to, amountRaw, asset, authority }: Movement): string => {
  const of = asset === 'native' ? '' : ` ${nameOf(asset)}`;
  const by = authority === null ? '' : ` by ${nameOf(authority)}`;
  return `${kind} ${nameOf(from)} -> ${nameOf(to)} ${amountRaw}${of}${by}`;
};

/** Names become keys, wherever they stand; types, and text that is a number, stay. */
const withKeys = (value: unknown): unknown => {
  if (typeof value === 'string') return /^\d+$/.test(value) ? value : keyOf(value);
  if (Array.isArray(value)) return value.map(withKeys);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, key === 'type' ? inner : withKeys(inner)]),
  );
};

/** The same transaction as `jsonParsed` answers it. */
const parse = (raw: RawTransaction, { program, parsed }: Case): RawTransaction => {
  if (typeof raw.transaction !== 'object' || !('message' in raw.transaction)) return raw;
  const { message, signatures } = raw.transaction;
  const accountKeys = message.accountKeys.map((pubkey) => ({ pubkey: String(pubkey), signer: false }));
  const instructions = [{ programId: program, parsed: withKeys(parsed) }];
  return { ...raw, transaction: { signatures, message: { accountKeys, instructions } } };
};

test.for(Object.keys(CASES))('%s: the parsed form gives the same exact rows as the compiled one', (name) => {
  const told = CASES[name];
  if (told === undefined) throw new Error(`no case ${name}`);
  const { program, accounts, data, state, rows } = told;
  const compiled = transaction({ accounts: [payer, ...state], instructions: [{ program, accounts, data }] });
  for (const raw of [compiled, parse(compiled, told)]) {
    const whole = block(raw);
    const decoded = decodeSolanaBlock({ block: whole, slot: 1, chain: 'solana', votes: 'each' });
    expect({ problems: decoded.problems, exempt: decoded.exempt }).toEqual({ problems: [], exempt: {} });
    expect(decoded.movements.slice(1).map(tell)).toEqual(rows);
    expect(findSumRuleBreaks(whole, decoded)).toEqual([]);
  }
});
