import { expect, test } from 'vitest';
import type { ControlEvent } from '../../../investigate/model/control-event.ts';
import {
  block,
  FEE,
  join,
  keyBytes,
  keyOf,
  STAKE,
  SYSTEM,
  type TestAccount,
  type TestInstruction,
  TOKEN,
  TOKEN_2022,
  transaction,
  u32,
  u64,
  VOTE,
} from '../../../testing/solana/build-transaction.ts';
import { inVersion1, inWireForm } from '../../../testing/solana/in-wire-form.ts';
import { decode, SOL } from '../../../testing/solana/tell-rows.ts';
import type { RawInstruction, RawTransaction } from '../encoding/raw-block.ts';

const LOADER = 'BPFLoaderUpgradeab1e11111111111111111111111';
const LOADER_4 = 'LoaderV411111111111111111111111111111111111';
const METAPLEX = 'metaqbxxUerdq28cj1RbAWkYQm3ybzjb6a8bt518x1s';
const NAMES = ['alice', 'bob', 'carol', 'mint', 'token', 'program', 'code', 'buffer', 'metadata', 'stake'];
const nameOf = new Map(NAMES.map((name) => [keyOf(name), name]));
const told = (key: string | null): string => (key === null ? '-' : (nameOf.get(key) ?? key));

/** `kind subject holder>party asset amount detail`, with `!` where the holder did it himself. */
const tell = ({ kind, subject, holder, party, asset, amountRaw, detail, byHolder }: ControlEvent): string =>
  [
    ...[kind, told(subject), `${told(holder)}${byHolder ? '!' : ''}>${told(party)}`],
    ...[told(asset), String(amountRaw), detail ?? '-'],
  ].join(' ');

const ALICE: TestAccount = { name: 'alice', before: SOL, after: SOL - FEE };
/** Of alice. */
const ALONE = { name: 'token', before: 2_039_280n, after: 2_039_280n, mint: 'mint', owner: 'alice' };
const ACCOUNT: TestAccount = { ...ALONE, amountBefore: 9n, amountAfter: 9n };

const paid = (instructions: readonly TestInstruction[], accounts = [ALICE, ACCOUNT]): RawTransaction =>
  transaction({ accounts, instructions });

const eventsOf = (raw: RawTransaction): string[] => {
  const { controlEvents, problems } = decode(block(raw));
  expect(problems).toEqual([]);
  expect(controlEvents.map(({ index }) => index)).toEqual(controlEvents.map((_, at) => at));
  return controlEvents.filter(({ kind }) => kind !== 'calls').map(tell);
};

const text = (value: string): Uint8Array => join(u32(value.length), new TextEncoder().encode(value));
const names = join(text('USD\0'), text('USDC'), text('https://a'));
const calling = (
  program: string,
  accounts: readonly string[],
  ...data: (Uint8Array | readonly number[])[]
) => ({
  program,
  accounts,
  data: join(...data),
});
const key = keyBytes('bob');
const some = join([1], key);

/** What is said, in bytes and as nodes parse it (null: they leave it as it is), and the events of it. */
type Case = readonly [
  title: string,
  instruction: TestInstruction,
  parsed: { readonly type: string; readonly info: object } | null,
  events: readonly string[],
];
const [A, B, C, MINT, T] = ['alice', 'bob', 'carol', 'mint', 'token'].map(keyOf);
const NEW_MINT = ['mint_created mint alice!>- - 0 -', 'authority_changed mint ->bob - 0 mint'];

const CASES: readonly Case[] = [
  [
    'a mint that nobody can freeze',
    calling(TOKEN, ['mint', 'alice'], [0, 6], key, [0]),
    { type: 'initializeMint', info: { mint: MINT, decimals: 6, mintAuthority: B } },
    NEW_MINT,
  ],
  [
    'a mint that carol can freeze',
    calling(TOKEN_2022, ['mint'], [20, 6], key, [1], keyBytes('carol')),
    { type: 'initializeMint2', info: { mint: MINT, decimals: 6, mintAuthority: B, freezeAuthority: C } },
    [...NEW_MINT, 'authority_changed mint ->carol - 0 freeze'],
  ],
  [
    'an approval',
    calling(TOKEN, ['token', 'bob', 'alice'], [4], u64(7n)),
    { type: 'approve', info: { source: T, delegate: B, owner: A, amount: '7' } },
    ['approval token alice!>bob mint 7 -'],
  ],
  [
    'an approval that names its mint',
    calling(TOKEN_2022, ['token', 'mint', 'bob', 'alice'], [13], u64(7n), [6]),
    {
      type: 'approveChecked',
      info: { source: T, mint: MINT, delegate: B, owner: A, tokenAmount: { amount: '7', decimals: 6 } },
    },
    ['approval token alice!>bob mint 7 -'],
  ],
  [
    'its end',
    calling(TOKEN, ['token', 'alice'], [5]),
    { type: 'revoke', info: { source: T, owner: A } },
    ['approval token alice!>- mint 0 -'],
  ],
  [
    'an account given away',
    calling(TOKEN, ['token', 'alice'], [6, 2], some),
    {
      type: 'setAuthority',
      info: { account: T, authorityType: 'accountOwner', authority: A, newAuthority: B },
    },
    ['authority_changed token alice!>bob mint 0 owner'],
  ],
  [
    'who may close an account',
    calling(TOKEN, ['token', 'alice'], [6, 3], some),
    {
      type: 'setAuthority',
      info: { account: T, authorityType: 'closeAccount', authority: A, newAuthority: B },
    },
    ['authority_changed token alice!>bob mint 0 close'],
  ],
  [
    'minting given up by several',
    calling(TOKEN, ['mint', 'carol', 'alice', 'bob'], [6, 0, 0]),
    {
      type: 'setAuthority',
      info: {
        mint: MINT,
        authorityType: 'mintTokens',
        multisigAuthority: C,
        signers: [A, B],
        newAuthority: null,
      },
    },
    ['authority_changed mint carol>- - 0 mint'],
  ],
  ...(
    [
      [1, 'freezeAccount', 'freeze'],
      [4, 'transferFeeConfig', 'transfer_fee'],
      [5, 'withheldWithdraw', 'other:5'],
      [8, 'permanentDelegate', 'permanent_delegate'],
      [10, 'transferHookProgramId', 'transfer_hook'],
      [12, 'metadataPointer', 'other:12'],
      [16, 'pause', 'pause'],
      [17, 'permissionedBurn', 'other:17'],
    ] as const
  ).map(
    ([type, authorityType, role]): Case => [
      `authority ${authorityType} over a mint`,
      calling(TOKEN_2022, ['mint', 'alice'], [6, type], some),
      { type: 'setAuthority', info: { mint: MINT, authorityType, authority: A, newAuthority: B } },
      [`authority_changed mint alice!>bob - 0 ${role}`],
    ],
  ),
  [
    'an account frozen',
    calling(TOKEN, ['token', 'mint', 'bob'], [10]),
    { type: 'freezeAccount', info: { account: T, mint: MINT, freezeAuthority: B } },
    ['frozen token alice!>bob mint 0 -'],
  ],
  [
    'an account thawed by several',
    calling(TOKEN, ['token', 'mint', 'bob', 'alice', 'carol'], [11]),
    { type: 'thawAccount', info: { account: T, mint: MINT, multisigFreezeAuthority: B, signers: [A, C] } },
    ['thawed token alice!>bob mint 0 -'],
  ],
  [
    'an heir of everything of a mint',
    calling(TOKEN_2022, ['mint'], [35], key),
    { type: 'initializePermanentDelegate', info: { mint: MINT, delegate: B } },
    ['authority_changed mint ->bob - 0 permanent_delegate'],
  ],
  [
    'who may close a mint',
    calling(TOKEN_2022, ['mint'], [25], some),
    { type: 'initializeMintCloseAuthority', info: { mint: MINT, newAuthority: B } },
    ['authority_changed mint ->bob - 0 other:6'],
  ],
  [
    'who sets fees on transfers',
    calling(TOKEN_2022, ['mint'], [26, 0], some, [0], [1, 0], u64(9n)),
    {
      type: 'initializeTransferFeeConfig',
      info: { mint: MINT, transferFeeConfigAuthority: B, transferFeeBasisPoints: 1, maximumFee: 9 },
    },
    ['authority_changed mint ->bob - 0 transfer_fee'],
  ],
  [
    'who sets what a transfer calls',
    calling(TOKEN_2022, ['mint'], [36, 0], key, new Uint8Array(32)),
    { type: 'initializeTransferHook', info: { mint: MINT, authority: B } },
    ['authority_changed mint ->bob - 0 transfer_hook'],
  ],
  [
    'nobody who may stop transfers',
    calling(TOKEN_2022, ['mint'], [44, 0], new Uint8Array(32)),
    { type: 'initializePausableConfig', info: { mint: MINT, authority: null } },
    [],
  ],
  [
    'what a token of Token-2022 calls itself',
    calling(TOKEN_2022, ['mint', 'alice', 'mint', 'bob'], [210, 225, 30, 162, 88, 184, 77, 141], names),
    {
      type: 'initializeTokenMetadata',
      info: {
        ...{ metadata: MINT, updateAuthority: A, mint: MINT, mintAuthority: B },
        ...{ name: 'USD\0', symbol: 'USDC', uri: 'https://a' },
      },
    },
    ['metadata mint alice!>- - 0 {"name":"USD","symbol":"USDC","uri":"https://a"}'],
  ],
  [
    'its new symbol',
    calling(TOKEN_2022, ['mint', 'alice'], [221, 233, 49, 45, 181, 202, 220, 200, 1], text('USDT')),
    {
      type: 'updateTokenMetadataField',
      info: { metadata: MINT, updateAuthority: A, field: 'symbol', value: 'USDT' },
    },
    ['metadata mint alice!>- - 0 {"name":"","symbol":"USDT","uri":""}'],
  ],
  [
    'who may not rename it any more',
    calling(TOKEN_2022, ['mint', 'alice'], [215, 228, 166, 228, 84, 100, 86, 123], new Uint8Array(32)),
    {
      type: 'updateTokenMetadataAuthority',
      info: { metadata: MINT, updateAuthority: A, newAuthority: null },
    },
    ['authority_changed mint alice!>- - 0 metadata'],
  ],
  [
    'a wallet handed to a program',
    calling(SYSTEM, ['alice'], u32(1), key),
    { type: 'assign', info: { account: A, owner: B } },
    ['owner_assigned alice alice!>bob - 0 -'],
  ],
  [
    'a nonce handed over',
    calling(SYSTEM, ['stake', 'alice'], u32(7), key),
    {
      type: 'authorizeNonce',
      info: { nonceAccount: keyOf('stake'), nonceAuthority: A, newAuthorized: B },
    },
    ['authority_changed stake alice!>bob - 0 nonce'],
  ],
  ...(
    [
      [0, 'Staker', 'stake'],
      [1, 'Withdrawer', 'withdraw'],
    ] as const
  ).map(
    ([type, authorityType, role]): Case => [
      `who may ${role} of a stake`,
      calling(STAKE, ['stake', 'code', 'alice'], u32(1), key, u32(type)),
      {
        type: 'authorize',
        info: { stakeAccount: keyOf('stake'), authority: A, newAuthority: B, authorityType },
      },
      [`authority_changed stake alice!>bob - 0 ${role}`],
    ],
  ),
  [
    'who may withdraw from a vote account',
    calling(VOTE, ['stake', 'code', 'alice', 'bob'], u32(7), u32(1)),
    {
      type: 'authorizeChecked',
      info: { voteAccount: keyOf('stake'), authority: A, newAuthority: B, authorityType: 'Withdrawer' },
    },
    ['authority_changed stake alice!>bob - 0 withdraw'],
  ],
  [
    'a program deployed',
    calling(LOADER, ['alice', 'code', 'program', 'buffer', 'mint', 'mint', 'mint', 'bob'], u32(2), u64(9n)),
    {
      type: 'deployWithMaxDataLen',
      info: {
        ...{ payerAccount: A, programDataAccount: keyOf('code'), programAccount: keyOf('program') },
        ...{ bufferAccount: keyOf('buffer'), authority: B },
      },
    },
    ['program_deployed program alice!>bob - 0 -'],
  ],
  [
    'a program upgraded',
    calling(LOADER, ['code', 'program', 'buffer', 'carol', 'mint', 'mint', 'alice'], u32(3)),
    {
      type: 'upgrade',
      info: { programDataAccount: keyOf('code'), programAccount: keyOf('program'), authority: A },
    },
    ['program_upgraded program alice!>- - 0 -'],
  ],
  [
    'who may upgrade what is in an account',
    calling(LOADER, ['code', 'alice', 'bob'], u32(4)),
    { type: 'setAuthority', info: { account: keyOf('code'), authority: A, newAuthority: B } },
    ['authority_changed code alice!>bob - 0 upgrade'],
  ],
  [
    'upgrades given up',
    calling(LOADER, ['code', 'alice'], u32(4)),
    { type: 'setAuthority', info: { account: keyOf('code'), authority: A, newAuthority: null } },
    ['authority_changed code alice!>- - 0 upgrade'],
  ],
  [
    'a program closed',
    calling(LOADER, ['code', 'carol', 'alice', 'program'], u32(5)),
    {
      type: 'close',
      info: { account: keyOf('code'), recipient: C, authority: A, programAccount: keyOf('program') },
    },
    ['authority_changed program alice!>- - 0 upgrade'],
  ],
  ['a buffer closed', calling(LOADER, ['buffer', 'carol', 'alice'], u32(5)), null, []],
  [
    'a program of loader 4',
    calling(LOADER_4, ['program', 'alice'], u32(3)),
    null,
    ['program_deployed program alice!>alice - 0 -'],
  ],
  [
    'who may change it',
    calling(LOADER_4, ['program', 'alice', 'bob'], u32(5)),
    null,
    ['authority_changed program alice!>bob - 0 upgrade'],
  ],
  [
    'nobody any more',
    calling(LOADER_4, ['program', 'alice', 'bob'], u32(6)),
    null,
    ['authority_changed program alice!>- - 0 upgrade'],
  ],
  [
    'what a token calls itself by Metaplex',
    calling(METAPLEX, ['metadata', 'mint', 'bob', 'alice', 'alice'], [33], names, [0, 0, 0, 0, 0, 1, 0]),
    null,
    ['metadata mint alice!>- - 0 {"name":"USD","symbol":"USDC","uri":"https://a"}'],
  ],
  [
    'the same by its newer instruction',
    calling(METAPLEX, ['metadata', METAPLEX, 'mint', 'bob', 'alice', 'carol'], [42, 0], names),
    null,
    ['metadata mint carol>- - 0 {"name":"USD","symbol":"USDC","uri":"https://a"}'],
  ],
  [
    'another name and another who may change it',
    calling(
      ...([METAPLEX, ['metadata', 'alice'], [15, 1], names, [0, 0, 1], u32(1), new Uint8Array(34)] as const),
      ...([[1], new Uint8Array(33), [1], new Uint8Array(17), some, [0, 0]] as const),
    ),
    null,
    [
      'metadata metadata alice!>- - 0 {"name":"USD","symbol":"USDC","uri":"https://a"}',
      'authority_changed metadata alice!>bob - 0 metadata',
    ],
  ],
  [
    'the same by its newer instruction',
    calling(METAPLEX, ['alice', METAPLEX, METAPLEX, 'mint', 'metadata'], [50, 1], some, [1], names),
    null,
    [
      'metadata mint alice!>- - 0 {"name":"USD","symbol":"USDC","uri":"https://a"}',
      'authority_changed mint alice!>bob - 0 metadata',
    ],
  ],
  [
    'what is cut off',
    calling(METAPLEX, ['metadata', 'mint', 'bob', 'alice', 'alice'], [33], u32(99)),
    null,
    [],
  ],
];

/** The same transaction as `jsonParsed`. */
const inParsedForm = (raw: RawTransaction, parsed: NonNullable<Case[2]>): RawTransaction => {
  const { signatures, message } = raw.transaction as {
    signatures: string[];
    message: { accountKeys: string[]; instructions: RawInstruction[] };
  };
  const programId = message.accountKeys[message.instructions[0]?.programIdIndex ?? -1];
  const accountKeys = message.accountKeys.map((pubkey) => ({ pubkey }));
  const instructions = [{ programId, parsed }] as RawInstruction[];
  return { ...raw, transaction: { signatures, message: { accountKeys, instructions } } };
};

test.each(CASES)('%s is told in every form', (_, instruction, parsed, events) => {
  const raw = paid([instruction]);
  for (const form of [raw, inWireForm(raw), inVersion1(raw, 'base58')])
    expect(eventsOf(form)).toEqual(events);
  if (parsed !== null) expect(eventsOf(inParsedForm(raw, parsed))).toEqual(events);
});

const GIVEN = calling(TOKEN, ['token', 'alice'], [6, 2], some);

test('calls of programs and parts of a batch tell the same, and a transaction that failed tells nothing', () => {
  const called = { ...calling(keyOf('a program'), ['token', 'alice'], [1]), calls: [GIVEN] };
  const batch = calling(TOKEN, ['token', 'alice'], [255, 2, 35], GIVEN.data);
  const owner = ['authority_changed token alice!>bob mint 0 owner'];
  for (const one of [called, batch]) expect(eventsOf(paid([one]))).toEqual(owner);
  const failed = transaction({ accounts: [ALICE, ACCOUNT], instructions: [GIVEN, called], failed: true });
  expect(decode(block(failed)).controlEvents).toEqual([]);
});

test('what was given away is its new owner’s from then on', () => {
  const freeze = calling(TOKEN, ['token', 'mint', 'carol'], [10]);
  const closed = calling(TOKEN, ['token', 'carol', 'carol'], [9]);
  const gone = { ...ALONE, amountBefore: 0n, after: 0n };
  expect(eventsOf(paid([GIVEN, freeze]))).toEqual([
    'authority_changed token alice!>bob mint 0 owner',
    'frozen token bob>carol mint 0 -',
  ]);
  const carol = { name: 'carol', before: 1n, after: 2_039_281n };
  expect(eventsOf(paid([GIVEN, closed], [ALICE, gone, carol]))).toEqual([
    'authority_changed token alice!>bob mint 0 owner',
    // Whoever closes what is another's may do so.
    'authority_changed token bob>carol mint 0 close',
  ]);
  const own = { ...closed, accounts: ['token', 'carol', 'alice'] };
  expect(eventsOf(paid([own], [ALICE, gone, carol]))).toEqual([]);
});

test('a new account that is assigned to its program is no wallet handed over, nor is one of a program', () => {
  const assign = (account: string) => calling(SYSTEM, [account], u32(1), key);
  const fresh = { name: 'alice', before: 0n, after: 0n };
  expect(eventsOf(transaction({ accounts: [fresh], instructions: [assign('alice')], fee: 0n }))).toEqual([]);
  expect(
    eventsOf(paid([{ ...calling(keyOf('a program'), ['token'], [1]), calls: [assign('token')] }])),
  ).toEqual([]);
});

test('who may change a program or a name is told of it where the block says which account holds it', () => {
  const deploy = CASES.find(([title]) => title === 'a program deployed')?.[1];
  const give = calling(LOADER, ['code', 'bob', 'carol'], u32(4));
  const create = CASES.find(([title]) => title.endsWith('by Metaplex'))?.[1];
  const rename = calling(METAPLEX, ['metadata', 'alice'], [15, 0], some, [0, 0]);
  if (!deploy || !create) throw new TypeError('both are told above');
  const { controlEvents } = decode(block(paid([deploy, create]), paid([give, rename])));
  expect(controlEvents.filter(({ txIndex, kind }) => txIndex === 1 && kind !== 'calls').map(tell)).toEqual([
    'authority_changed program bob>carol - 0 upgrade',
    'authority_changed mint alice!>bob - 0 metadata',
  ]);
});

test('calls are counted by program and by who paid, but not of programs that everybody calls', () => {
  const other = calling('Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo', [], [1]);
  const called = calling(keyOf('a program'), ['bob'], [1]);
  const inside = { ...called, program: keyOf('another'), calls: [called] };
  const two = paid([called, called, inside, other, GIVEN]);
  const failed = transaction({ accounts: [ALICE, ACCOUNT], instructions: [called], failed: true });
  for (const inForm of [(raw: RawTransaction) => raw, inWireForm]) {
    const { controlEvents, controlCoverage } = decode(block(...[two, paid([called]), failed].map(inForm)));
    const counts = controlEvents.filter(({ kind }) => kind === 'calls');
    expect(counts.map(({ subject, party, amountRaw }) => [subject, told(party), amountRaw])).toEqual([
      [keyOf('a program'), 'alice', 3n],
      [keyOf('another'), 'alice', 1n],
    ]);
    expect(controlCoverage).toBe('full');
  }
});

test('where calls between programs are not recorded, or a transaction cannot be read, not all is told', () => {
  const raw = paid([GIVEN]);
  const outer = { ...raw, meta: raw.meta && { ...raw.meta, innerInstructions: null } };
  const coverageOf = (...transactions: RawTransaction[]) => decode(block(...transactions)).controlCoverage;
  expect(coverageOf(raw)).toBe('full');
  expect(coverageOf(outer)).toBe('outer');
  expect(coverageOf(raw, { ...paid([GIVEN]), meta: null })).toBe('outer');
});
