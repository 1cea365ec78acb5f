import { readdirSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createBlockEncoder } from '../../events/encode-block.ts';
import type { DecodedBlock } from '../../investigate/model/block.ts';
import { describeWithSharedData, sharedData } from '../../testing/shared-data.ts';
import { findSumRuleBreaks } from '../../testing/solana/sum-rule.ts';
import { BlockFormatError } from '../block-format-error.ts';
import { blockRecords } from '../block-records.ts';
import { decodeSolanaBlock } from './decode-solana-block.ts';
import { parseSolanaBlock } from './encoding/parse-solana-block.ts';
import type { RawBlock, RawTransaction } from './encoding/raw-block.ts';
import { readTransaction } from './encoding/transaction-parts.ts';
import { callsByCaller } from './instructions/inner-calls.ts';
import { slotOf } from './slot-of.ts';

const read = (path: string): unknown => parseSolanaBlock(gunzipSync(readFileSync(sharedData(path))));

const readBlock = (name: string): RawBlock => read(`solana/blocks/${name}`) as RawBlock;

const decode = (block: unknown, name: string, votes: 'each' | 'sum' = 'each'): DecodedBlock =>
  decodeSolanaBlock({ block, slot: slotOf(name, block), chain: 'solana', votes });

/** `encodeBase58` is for keys and signatures; a whole transaction is longer than it takes. */
const encodeSlowly = (bytes: Uint8Array): string => {
  const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
  let value = BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
  let text = '';
  for (; value > 0n; value /= 58n) text = alphabet.charAt(Number(value % 58n)) + text;
  return '1'.repeat(bytes.findIndex((byte) => byte !== 0)) + text;
};

/** A transaction on its own, in a block made for it. */
const alone = (transaction: unknown): RawBlock => ({
  blockhash: 'block',
  previousBlockhash: 'parent',
  parentSlot: 1,
  transactions: [transaction as RawTransaction],
  rewards: [{ pubkey: 'leader', lamports: 0, rewardType: 'Fee' }],
});

/** Transactions that moved tokens of Merkle trees: `Transfer` and `CompressAndClose` of Light Protocol. */
const HIDDEN: Readonly<Record<string, object>> = {
  '380876342.json.gz': { compressed_transfer: [54] },
  '443787702.json.gz': { compressed_transfer: [5] },
};

describeWithSharedData('real Solana blocks', () => {
  const names = readdirSync(sharedData('solana/blocks')).filter((name) => name.endsWith('.json.gz'));

  test.for(names)('%s: every party of every transaction sums to the change of its balances', (name) => {
    const block = readBlock(name);
    const decoded = decode(block, name);
    expect(findSumRuleBreaks(block, decoded)).toEqual([]);
    expect(decoded.movements.filter(({ amountRaw }) => amountRaw < 0n)).toEqual([]);
    // Only blocks that record no token balances hold anything that cannot be checked.
    const early = ['18144001', '43200000', '64800004'].some((slot) => name.startsWith(slot));
    if (!early)
      expect({ exempt: decoded.exempt, problems: decoded.problems }).toEqual({
        exempt: HIDDEN[name] ?? {},
        problems: [],
      });
    else for (const { code } of decoded.problems) expect(code).toMatch(/^(asset_unknown|rewards_absent)$/);
  });

  test.for(names)('%s: rows are numbered without gaps, and the block’s own come last', (name) => {
    const { movements } = decode(readBlock(name), name);
    let previous = { txIndex: -1, index: -1 };
    for (const { txIndex, index } of movements) {
      const order = txIndex ?? Number.MAX_SAFE_INTEGER;
      expect(index).toBe(order === previous.txIndex ? previous.index + 1 : 0);
      expect(order).toBeGreaterThanOrEqual(previous.txIndex);
      previous = { txIndex: order, index };
    }
  });

  test.for(names)('%s: summing the votes leaves out their fees and nothing else', (name) => {
    const block = readBlock(name);
    const each = decode(block, name);
    const summed = decode(block, name, 'sum');
    const feesOf = ({ movements }: DecodedBlock): bigint =>
      movements.reduce(
        (sum, { kind, asset, amountRaw }) => (kind === 'fee' && asset === 'native' ? sum + amountRaw : sum),
        0n,
      );
    expect(feesOf(summed) + summed.voteFeesRaw).toBe(feesOf(each));
    const others = ({ movements }: DecodedBlock): number =>
      movements.filter(({ kind }) => kind !== 'fee').length;
    expect(others(summed)).toBe(others(each));
  });

  test.for(['json', 'base64'])(
    'a transaction that a node lists twice changes no row, and is told: %s',
    (encoding) => {
      const name = `147078735.${encoding}.json.gz`;
      const block = readBlock(name);
      const whole = decode(block, name);
      const again = block.transactions.slice(20, 21);
      const { problems, exempt, ...rest } = decode(
        { ...block, transactions: [...block.transactions, ...again] },
        name,
      );
      expect({ ...rest, problems: [], exempt: {} }).toEqual(whole);
      expect(problems).toMatchObject([{ code: 'transaction_repeated', txIndex: 25 }]);
    },
  );

  test('a transaction that a node leaves out is told where somebody else changed the same account later', () => {
    const name = '332254855.json.gz';
    const block = readBlock(name);
    let told = 0;
    for (let place = 0; place < 40; place++) {
      const { problems } = decode({ ...block, transactions: block.transactions.toSpliced(place, 1) }, name);
      if (problems.some(({ code }) => code === 'balances_not_continuous')) told++;
    }
    // Of those that were tried; most of the others are votes, of which every validator sends one a block.
    expect(told).toBeGreaterThanOrEqual(20);
  });

  test('calls that a block of 2020 lists once for each instruction follow the one that was handed their accounts', () => {
    const block = readBlock('43200000.json.gz');
    const sharesOf = (txIndex: number) => {
      const raw = block.transactions[txIndex];
      if (!raw?.meta?.innerInstructions) throw new TypeError('its calls are recorded');
      expect(raw.meta.innerInstructions).toHaveLength(5);
      const calls = callsByCaller(raw.meta.innerInstructions, readTransaction(raw, raw.meta), true);
      return [...(calls ?? [])].map(([caller, { length }]) => [caller, length]);
    };
    // Of an exchange: an order takes what it may sell, and what was sold is paid out.
    expect(sharesOf(35)).toEqual([[4, 2]]);
    expect(sharesOf(74)).toEqual([
      [1, 1],
      [4, 2],
    ]);
  });

  test('one block in three encodings gives the same events', () => {
    const [first, ...others] = ['base64', 'json', 'jsonParsed'].map((encoding) => {
      const name = `147078735.${encoding}.json.gz`;
      return decode(readBlock(name), name);
    });
    expect(first?.number).toBe(147_078_735);
    for (const other of others) expect(other).toEqual(first);
  });

  test('base58, and the bare base58 of the oldest nodes, give the same events as base64', () => {
    const block = readBlock('147078735.base64.json.gz');
    const expected = decode(block, '147078735.json');
    const texts = block.transactions.map(({ transaction }) =>
      encodeSlowly(Buffer.from(Array.isArray(transaction) ? String(transaction[0]) : '', 'base64')),
    );
    const inForm = (form: (text: string) => string | [string, string]): DecodedBlock => {
      const transactions = block.transactions.map((raw, i) => ({
        ...raw,
        transaction: form(texts[i] ?? ''),
      }));
      return decode({ ...block, transactions }, '147078735.json');
    };
    expect(inForm((text) => [text, 'base58'])).toEqual(expected);
    expect(inForm((text) => text)).toEqual(expected);
  });

  test('the block without owners names the owners that its instructions name', () => {
    const decoded = decode(readBlock('110130000.json.gz'), '110130000.json.gz');
    expect(decoded.movements.filter(({ kind }) => kind === 'program')).toEqual([]);
    expect(decoded.transactions.length).toBe(3439);
  });

  test('no lamports of these blocks but those moved by programs are paired by difference', () => {
    const programs = (name: string): number =>
      decode(readBlock(name), name).movements.filter(({ kind }) => kind === 'program').length;
    expect(programs('254170887.json.gz')).toBe(0);
    expect(programs('147078735.json.json.gz')).toBe(0);
    expect(programs('332254855.json.gz')).toBeLessThan(10);
  });
});

describeWithSharedData('real Solana transactions', () => {
  const groups = ['swaps', 'hack', 'nft-airdrop', 'pumpfun', 'encodings', 'blocksubscribe'];
  const paths = groups.flatMap((group) =>
    readdirSync(sharedData(`solana/transactions/${group}`)).map(
      (name) => `solana/transactions/${group}/${name}`,
    ),
  );

  test('every one of them obeys the sum rule, alone in a block', () => {
    expect(paths.length).toBeGreaterThan(170);
    for (const path of paths) {
      const block = alone(read(path));
      const decoded = decode(block, 'block.json');
      expect({ path, breaks: findSumRuleBreaks(block, decoded) }).toEqual({ path, breaks: [] });
      expect({ path, problems: decoded.problems, exempt: decoded.exempt }).toEqual({
        path,
        problems: [],
        exempt: {},
      });
    }
  });

  test('so does every one whose calls between programs the node did not keep', () => {
    for (const path of paths) {
      const raw = read(path) as RawTransaction;
      const block = alone({ ...raw, meta: raw.meta && { ...raw.meta, innerInstructions: null } });
      const breaks = findSumRuleBreaks(block, decode(block, 'block.json'));
      expect({ path, breaks }).toEqual({ path, breaks: [] });
    }
  });

  test('one vote in three encodings gives the same events', () => {
    const [first, ...others] = paths
      .filter((path) => path.includes('/encodings/'))
      .map((path) => decode(alone(read(path)), 'block.json'));
    expect(first?.movements.map(({ kind }) => kind)).toEqual(['fee']);
    expect(others.length).toBe(2);
    for (const other of others) expect(other).toEqual(first);
  });

  test('transactions that were broken on purpose are problems of their own', () => {
    for (const name of readdirSync(sharedData('solana/transactions/broken'))) {
      const decoded = decode(alone(read(`solana/transactions/broken/${name}`)), 'block.json');
      expect(decoded.problems.length).toBe(1);
      expect(decoded.movements).toEqual([]);
    }
  });

  test('Token-2022 fees are those of the golden transfers', () => {
    const golden = JSON.parse(
      readFileSync(sharedData('solana/golden/token-2022-fees.json'), 'utf8'),
    ) as Golden;
    for (const { file, signature, mint, transfers } of golden.cases) {
      const content = read(file) as RawBlock | RawTransaction;
      const decoded = decode('transactions' in content ? content : alone(content), 'block.json');
      const txIndex = decoded.transactions.find(({ hash }) => hash === signature)?.txIndex;
      const rows = decoded.movements.filter((row) => row.txIndex === txIndex && row.asset === mint);
      const found = rows.map(({ kind, from, to, amountRaw }) => [kind, from, to, String(amountRaw)]);
      for (const { sourceOwner, destinationOwner, receivedRaw, withheldRaw } of transfers) {
        expect(found).toContainEqual(['transfer', sourceOwner, destinationOwner, receivedRaw]);
        expect(found).toContainEqual(['fee', sourceOwner, null, withheldRaw]);
      }
      expect(rows.filter(({ kind }) => kind === 'fee').length).toBe(transfers.length);
    }
  });
});

type Golden = {
  readonly cases: readonly {
    readonly file: string;
    readonly signature: string;
    readonly mint: string;
    readonly transfers: readonly {
      readonly sourceOwner: string;
      readonly destinationOwner: string;
      readonly receivedRaw: string;
      readonly withheldRaw: string;
    }[];
  }[];
};

const JUNK: readonly unknown[] = [
  ...[null, -1, 1.5, 2 ** 60, 'x', '', [], {}, true, [null], 10n ** 30n, 10n ** 90n],
  'B'.repeat(1_200_000),
];

/** Replaces one value somewhere below `root`, reached by the fractions of `path`. */
const mutate = (root: unknown, path: readonly number[], junk: unknown): void => {
  let node: unknown = root;
  for (const [depth, fraction] of path.entries()) {
    if (typeof node !== 'object' || node === null) return;
    const keys = Object.keys(node);
    const key = keys[Math.floor(fraction * keys.length)];
    if (key === undefined) return;
    const child: unknown = Reflect.get(node, key);
    const isLeaf = typeof child !== 'object' || child === null;
    if (isLeaf || depth === path.length - 1) {
      Reflect.set(node, key, junk);
      return;
    }
    node = child;
  }
};

describeWithSharedData('mutated blocks', () => {
  const encode = createBlockEncoder(1);
  const fraction = fc.double({ min: 0, max: 0.999, noNaN: true });
  const mutation = fc.tuple(fc.array(fraction, { minLength: 1, maxLength: 9 }), fc.constantFrom(...JUNK));

  test.for([
    '147078735.base64.json.gz',
    '147078735.jsonParsed.json.gz',
    '443787702.json.gz',
    '43200000.json.gz',
  ])('%s: whatever is wrong in it, it ends with records that the log takes or the typed error', (name) => {
    const original = readBlock(name);
    const few = { ...original, transactions: original.transactions.slice(0, 40) };
    fc.assert(
      fc.property(fc.array(mutation, { minLength: 1, maxLength: 6 }), (mutations) => {
        const block = structuredClone(few);
        for (const [path, junk] of mutations) mutate(block, path, junk);
        try {
          const records = blockRecords(decode(block, 'block.json'), encode, { topic: 'any', key: 'any' });
          for (const { value } of records) expect(value.length).toBeLessThan(1_000_000);
        } catch (error) {
          expect(error).toBeInstanceOf(BlockFormatError);
        }
      }),
      { numRuns: 250 },
    );
  });
});
