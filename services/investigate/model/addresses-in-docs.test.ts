import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseAddress } from './address.ts';
import { decodeBase58 } from './base58.ts';
import { findChain } from './chain.ts';

const ROOT = join(import.meta.dirname, '../../..');
const FILES = globSync(
  [
    '*.md',
    'docs/**/*.md',
    'examples/**/*',
    'infra/**/*.{md,json,yaml,yml}',
    'schemas/*.json',
    'services/**/*.md',
  ],
  {
    cwd: ROOT,
    exclude: ['**/node_modules/**', '**/schemas/avro*/**'],
  },
).filter((path) => /\.\w+$/.test(path));

const [ethereum, solana] = [findChain('ethereum'), findChain('solana')];
if (!ethereum || !solana) throw new Error('there is no such chain');

const HEX = /(?<![0-9a-zA-Z])0x[0-9a-fA-F]{40}(?![0-9a-zA-Z])/g;
/** A text of this length that has letters of both cases and digits is meant as a key or a signature. */
// After `solana:` stands a chain, named by the first half of its first block's hash.
const BASE58 = /(?<![\w/+=-])(?<!solana:)(?=\w*[a-z])(?=\w*[A-Z])(?=\w*\d)[0-9A-Za-z]{32,90}(?![\w/+=-])/g;
const BYTES = [32, 64];

/** With line breaks as breaks also where JSON writes them. */
const textOf = (path: string): string => readFileSync(join(ROOT, path), 'utf8').replaceAll('\\n', '\n');

/** What a reader would copy in vain. */
const wrongIn = (text: string): string[] => [
  ...[...text.matchAll(HEX)].flatMap(([address]) => (parseAddress(ethereum, address).ok ? [] : [address])),
  ...[...text.matchAll(BASE58)].flatMap(([key]) => {
    if (/^0x/.test(key) || key.startsWith('spoor_')) return [];
    return BYTES.includes(decodeBase58(key)?.length ?? 0) ? [] : [key];
  }),
];

test('every address and signature in documents, examples and dashboards passes its own check', () => {
  const read = FILES.map((path) => ({ path, text: textOf(path) }));
  const found = read.flatMap(({ text }) => [...text.matchAll(HEX), ...text.matchAll(BASE58)]);
  expect(found.length).toBeGreaterThan(50);
  expect(read.flatMap(({ path, text }) => wrongIn(text).map((wrong) => `${path}: ${wrong}`))).toEqual([]);
});

test('an address with one wrong digit would be seen', () => {
  const right = [
    '0x758482B6c7c349cd9F2b86863e8a39302800b49d',
    'Dk79N92WanhK4n7CrYw38zoJspn9XNgLFQmsR3wEWojp',
  ];
  expect(right.flatMap(wrongIn)).toEqual([]);
  const wrong = [
    '0x758482b6c7c349cd9F2b86863e8a39302800b49d',
    'Dk79N92WanhK4n7CrYw38zoJspn9XNgLFQmsR3wEWojpJ',
  ];
  expect(wrong.flatMap(wrongIn)).toEqual(wrong);
});
