import { expect, test } from 'vitest';
import { block, FEE, keyOf, systemTransfer, transaction } from '../../../testing/solana/build-transaction.ts';
import { BlockFormatError } from '../../block-format-error.ts';
import { decodeSolanaBlock } from '../decode-solana-block.ts';
import { parseSolanaBlock } from './parse-solana-block.ts';

const BEFORE = 11_365_067_628_516_801n;
const MOVED = 9_007_199_254_740_993n;

/** A transfer above 2^53 as text, with the numbers that a double cannot hold put in by hand. */
const largeTransfer = (parsed: boolean): string => {
  const raw = transaction({
    accounts: [
      { name: 'whale', before: 1n, after: 2n },
      { name: 'bob', before: 0n, after: 3n },
    ],
    instructions: [systemTransfer('whale', 'bob', MOVED)],
  });
  // Text stands where a block's type has numbers.
  const told = structuredClone(raw) as unknown as {
    transaction: { message: { accountKeys: unknown[]; instructions: unknown[] } };
    meta: { preBalances: unknown; postBalances: unknown; innerInstructions: unknown };
  };
  told.meta.preBalances = ['@before', 0, 1];
  told.meta.postBalances = ['@after', '@moved', 1];
  if (parsed) {
    const { message } = told.transaction;
    const info = { source: keyOf('whale'), destination: keyOf('bob'), lamports: '@moved' };
    message.accountKeys = message.accountKeys.map((pubkey) => ({ pubkey, signer: true }));
    message.instructions = [
      { programId: '1'.repeat(32), program: 'system', parsed: { type: 'transfer', info } },
    ];
  }
  const numbers: Record<string, bigint> = { before: BEFORE, after: BEFORE - MOVED - FEE, moved: MOVED };
  return JSON.stringify({ ...block(), transactions: [told] }).replace(/"@(\w+)"/g, (_, name) =>
    String(numbers[name]),
  );
};

test.for([false, true])('lamports above 2^53 are exact in every row (parsed: %s)', (parsed) => {
  const decoded = decodeSolanaBlock({
    block: parseSolanaBlock(largeTransfer(parsed)),
    slot: 1,
    chain: 'solana',
    votes: 'each',
  });
  expect(decoded.problems).toEqual([]);
  expect(decoded.movements.map(({ kind, amountRaw }) => [kind, amountRaw])).toEqual([
    ['fee', FEE],
    ['transfer', MOVED],
  ]);
});

test.each(['{"jsonrpc":"2.0","result":@,"id":1}', '{ "id": 1, "result": @, "jsonrpc": "2.0" }'])(
  'lamports above 2^53 are as exact in a whole JSON-RPC answer: %s',
  (answer) => {
    const [before, after] = answer.split('@');
    for (const parsed of [false, true]) {
      const text = largeTransfer(parsed);
      expect(parseSolanaBlock(`${before}${text}${after}`)).toEqual(parseSolanaBlock(text));
    }
  },
);

test('balances are exact even where a log message quotes the same field', () => {
  const quoted = JSON.stringify('"preBalances":[1,2]');
  const text = largeTransfer(false).replace('"meta":{', `"meta":{"logMessages":[${quoted}],`);
  expect(text).toContain('logMessages');
  const block = parseSolanaBlock(text) as { transactions: { meta: { preBalances: unknown[] } }[] };
  expect(block.transactions[0]?.meta.preBalances[0]).toBe(BEFORE);
});

const PRE = `"preBalances":[${BEFORE},0,1]`;
const POST = `"postBalances":[${BEFORE - MOVED - FEE},${MOVED},1]`;
/** Another number that a double holds as the same. */
const SAME_WHEN_ROUNDED = BigInt(Number(BEFORE));

test.for([
  { name: 'lists come in another order', metas: [`${PRE},${POST}`, `${POST},${PRE}`, `${PRE},${POST}`] },
  {
    name: "another field's name ends as theirs",
    metas: [`"oldpreBalances":[${SAME_WHEN_ROUNDED},0,1],${PRE},${POST}`],
  },
])('balances are exact where $name', ({ metas }) => {
  const text = `{"transactions":[${metas.map((meta) => `{"meta":{${meta}}}`).join()}]}`;
  const { transactions } = parseSolanaBlock(text) as {
    transactions: { meta: { preBalances: unknown[]; postBalances: unknown[] } }[];
  };
  for (const { meta } of transactions)
    expect([meta.preBalances[0], meta.postBalances[1]]).toEqual([BEFORE, MOVED]);
});

test.for([
  { name: 'begins with the same digits', list: '11365,0,1' },
  { name: 'has as large an amount among fewer', list: `${SAME_WHEN_ROUNDED},0` },
])('a list of that name that $name is not taken for another', ({ list }) => {
  const text = `{"transactions":[{"of":{"preBalances":[${list}]},"meta":{${PRE},${POST}}}]}`;
  const { transactions } = parseSolanaBlock(text) as {
    transactions: { meta: { preBalances: unknown[]; postBalances: unknown[] } }[];
  };
  expect(transactions[0]?.meta.preBalances).toEqual([BEFORE, 0, 1]);
});

test('balances are exact in text with white space too', () => {
  const text = largeTransfer(false).replaceAll(',', ' ,\n ').replaceAll(':', ' : ');
  const block = parseSolanaBlock(text) as {
    transactions: { meta: { preBalances: unknown[]; postBalances: unknown[] } }[];
  };
  const meta = block.transactions[0]?.meta;
  expect([meta?.preBalances[0], meta?.postBalances]).toEqual([
    BEFORE,
    [Number(BEFORE - MOVED - FEE), MOVED, 1],
  ]);
});

test('lamports that a plain JSON.parse has rounded are a problem, never a wrong row', () => {
  const rounded: unknown = JSON.parse(largeTransfer(false));
  const decoded = decodeSolanaBlock({ block: rounded, slot: 1, chain: 'solana', votes: 'each' });
  expect(decoded.problems.map(({ code }) => code)).toEqual(['inexact_integer']);
  expect(decoded.movements).toEqual([]);
});

test('large numbers that are no lamports do not take the slow path', () => {
  const text = JSON.stringify({ ...block(), rentEpoch: 0 }).replace(
    '"rentEpoch":0',
    '"rentEpoch":18446744073709551615',
  );
  expect(parseSolanaBlock(text)).toMatchObject({ rentEpoch: 2 ** 64 });
});

test('large rewards are exact', () => {
  const text = JSON.stringify({ ...block(), rewards: [{ pubkey: 'bob', lamports: 0 }] }).replace(
    '"lamports":0',
    `"lamports":${MOVED}`,
  );
  expect(parseSolanaBlock(Buffer.from(text))).toMatchObject({ rewards: [{ lamports: MOVED }] });
});

test('text that is not JSON is refused with its code', () => {
  expect(() => parseSolanaBlock('{"blockhash":')).toThrow(BlockFormatError);
});
