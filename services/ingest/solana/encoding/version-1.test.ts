import { expect, test } from 'vitest';
import {
  block,
  createAccount,
  initializeAccount3,
  join,
  keyOf,
  RENT,
  systemTransfer,
  type TestInstruction,
  tokenTransfer,
  transaction,
  u32,
  u64,
} from '../../../testing/solana/build-transaction.ts';
import { inVersion1, type WireEncoding } from '../../../testing/solana/in-wire-form.ts';
import { decode, holding, payer, SOL } from '../../../testing/solana/tell-rows.ts';
import type { RawTransaction } from './raw-block.ts';

const ENCODINGS = ['base64', 'base58'] as const;
const BARE: TestInstruction = { program: keyOf('some program'), accounts: [], data: new Uint8Array(0) };
const LONG: TestInstruction = { ...BARE, accounts: ['bob'], data: new Uint8Array(300).fill(3) };

const PAYING = transaction({
  accounts: [
    payer(SOL, 2_000_000n + RENT),
    { name: 'bob', before: SOL, after: SOL + 2_000_000n },
    holding('alice tokens', 'alice', 700n, 0n),
    holding('bob tokens', 'bob', 0n, 700n),
    { name: 'new', before: 0n, after: RENT, mint: 'mint', owner: 'carol', amountAfter: 0n },
  ],
  instructions: [
    BARE,
    systemTransfer('alice', 'bob', 2_000_000n),
    { ...LONG, calls: [tokenTransfer('alice tokens', 'bob tokens', 'alice', 700n)] },
    createAccount('alice', 'new', RENT),
    initializeAccount3('new', 'mint', 'carol'),
  ],
});

const bytesOf = ({ transaction: wire }: RawTransaction): Buffer =>
  Buffer.from((wire as readonly [string, string])[0], 'base64');
const wireOf = (bytes: Uint8Array, meta: RawTransaction['meta']): RawTransaction => ({
  transaction: [Buffer.from(bytes).toString('base64'), 'base64'],
  meta,
});

const settings = (mask: number, ...values: readonly Uint8Array[]) => ({ mask, values: join(...values) });

test.each(
  ENCODINGS.flatMap(
    (encoding) =>
      [
        [encoding, 'no settings', settings(0)],
        [encoding, 'a priority fee of eight bytes', settings(0b11, u64(20_000n))],
        [encoding, 'all settings there are', settings(0b11111, u64(20_000n), u32(1), u32(2), u32(3))],
        [encoding, 'a setting that came later', settings(1 << 31, u32(9))],
      ] as const,
  ),
)('a transaction of version 1 in %s, with %s, gives the rows of its json', (encoding, _, told) => {
  const inJson = decode(block({ ...PAYING, version: 1 }));
  expect(inJson).toMatchObject({ problems: [], exempt: {} });
  expect(inJson.movements.map(({ kind }) => kind)).toEqual(['fee', 'transfer', 'transfer', 'rent']);
  const inBytes = decode(block(inVersion1(PAYING, encoding as WireEncoding, told)));
  expect(inBytes).toEqual(inJson);
});

test('a transaction of version 1 that is cut, goes on behind its end or is too long costs itself alone', () => {
  const bytes = bytesOf(inVersion1(PAYING, 'base64'));
  const long = inVersion1(
    transaction({ accounts: [payer(SOL, 0n)], instructions: Array(14).fill(LONG) }),
    'base64',
  );
  expect(bytesOf(long).length).toBeGreaterThan(4_096);
  const broken = [41, 42, 100, bytes.length - 1].map((length) => bytes.subarray(0, length));
  for (const wrong of [...broken, join(bytes, [0]), bytesOf(long)]) {
    const { problems, movements } = decode(block(wireOf(wrong, PAYING.meta), inVersion1(PAYING, 'base64')));
    expect(problems).toMatchObject([{ code: 'short_data', txIndex: 0 }]);
    expect(new Set(movements.map(({ txIndex }) => txIndex))).toEqual(new Set([1]));
  }
});

test.each([
  ['json', { ...PAYING, version: 2 }],
  [
    'a version byte before everything',
    wireOf(join([0x82], bytesOf(inVersion1(PAYING, 'base64')).subarray(1)), PAYING.meta),
  ],
  [
    'a version byte before the message',
    wireOf(join([1], new Uint8Array(64), [0x82], new Uint8Array(80)), PAYING.meta),
  ],
])(
  'a transaction of a version that nobody here knows costs itself alone, and that is told: %s',
  (_, unknown) => {
    const [first, last] = [0, 1].map(() => transaction({ accounts: [payer(SOL, 0n)], instructions: [BARE] }));
    if (!first || !last) throw new TypeError('two were built');
    const { problems, exempt, movements } = decode(block({ ...first, version: 'legacy' }, unknown, last));
    const message = 'transaction version 2 is not read here';
    expect(problems).toEqual([{ code: 'unsupported_version', txIndex: 1, message }]);
    expect(exempt).toEqual({ unsupported_version: [1] });
    expect(new Set(movements.map(({ txIndex }) => txIndex))).toEqual(new Set([0, 2]));
  },
);

test('the fee of version 1 is what the chain says it took', () => {
  const alice = { name: 'alice', before: SOL, after: SOL - 25_000n };
  const told = transaction({ accounts: [alice], instructions: [BARE], fee: 25_000n });
  const { movements } = decode(block(inVersion1(told, 'base58', settings(0b11, u64(20_000n)))));
  expect(movements).toMatchObject([{ kind: 'fee', amountRaw: 25_000n }]);
});
