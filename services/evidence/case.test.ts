import { execFileSync } from 'node:child_process';
import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate';
import { beforeAll, expect, test } from 'vitest';
import { buildBlock } from '../testing/build-block.ts';
import { temporaryFolder } from '../testing/temporary-folder.ts';
import { CaseFormatError, readCase, writeCase } from './case-file.ts';
import { chooseKey, KeyFormatError } from './choose-key.ts';
import { type Envelope, preAuthentication } from './dsse.ts';
import type { EvidenceRow } from './evidence-row.ts';
import { openSigningKeys, rotateSigningKeys, type SigningKeys } from './signing-keys.ts';
import { verifyCase } from './verify-case.ts';
import { RowJudge } from './verify-rows.ts';

const HASH = `0x${'a'.repeat(64)}`;
const BLOCK = buildBlock({
  chain: 'ethereum',
  number: 7,
  timeUnixSeconds: 1_700_000_000,
  transactions: [
    {
      hash: HASH,
      sender: 'ann',
      movements: [
        { from: 'ann', to: 'bob', amountRaw: 5n },
        { from: 'ann', to: 'bob', amountRaw: 5n },
        { from: 'bob', to: 'carl', amountRaw: 4n },
      ],
    },
  ],
});
const ROWS: EvidenceRow[] = BLOCK.movements.map(({ index, kind, from, to, asset, amountRaw }) => ({
  ...{ chain: 'ethereum', block: 7, block_hash: BLOCK.hash, time: 1_700_000_000, transaction: HASH },
  ...{ index, kind, from, to, asset, amount_raw: String(amountRaw) },
}));
const CONTENT = {
  question: { path: '/follow', body: { address: 'ann' } },
  answer: `{"chain":"ethereum","hops":[{"amount_raw":"5","signature":"${HASH}"}]}`,
  rows: ROWS,
  withoutEvidence: [],
  labels: [],
  ...{ version: '1.2.3', madeAtUnixSeconds: 1_700_000_100 },
};

const keysIn = (folder: string) => openSigningKeys(folder, 1_700_000_000);
const pemOf = ({ published }: SigningKeys): string => published.at(-1)?.public_key ?? '';
const problemsOf = (zip: Uint8Array, pem: string): string[] =>
  verifyCase(readCase(zip), pem).findings.flatMap(({ check, problem }) => (problem === null ? [] : check));

let keys: SigningKeys;
let made: Uint8Array;
beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'spoor-case-'));
  keys = await keysIn(folder);
  made = writeCase(CONTENT, [keys.signing]);
  rmSync(folder, { recursive: true });
});
/** The case with files changed, left out (null) or put in. */
const changed = (files: Readonly<Record<string, ((text: string) => string) | null>>): Uint8Array => {
  const unpacked = Object.entries(unzipSync(made)).map(([name, bytes]): [string, string] => [
    name,
    strFromU8(bytes),
  ]);
  const texts = new Map(unpacked);
  for (const [name, change] of Object.entries(files)) {
    if (change === null) texts.delete(name);
    else texts.set(name, change(texts.get(name) ?? ''));
  }
  return zipSync(Object.fromEntries([...texts].map(([name, text]) => [name, strToU8(text)])));
};

test('a case as it was written has nothing wrong, and says what it rests on', () => {
  const { findings, statement, rows } = verifyCase(readCase(made), pemOf(keys));
  expect(findings.filter(({ problem }) => problem !== null)).toEqual([]);
  expect(rows).toEqual(ROWS);
  expect(statement?.predicate).toMatchObject({
    question: CONTENT.question,
    blocks: [{ chain: 'ethereum', block: 7, hash: BLOCK.hash, time: 1_700_000_000 }],
    evidence: { rows: 3 },
  });
  expect(writeCase(CONTENT, [keys.signing])).toEqual(made);
});

const payloadOf = (envelope: Envelope, change: (text: string) => string): Envelope => ({
  ...envelope,
  payload: Buffer.from(change(Buffer.from(envelope.payload, 'base64').toString())).toString('base64'),
});

test.each<[what: string, files: Parameters<typeof changed>[0], check: string[]]>([
  ['a digit of the answer', { 'answer.json': (text) => text.replace('"5"', '"6"') }, ['answer.json']],
  [
    'a digit of a row',
    { 'evidence.ndjson': (text) => text.replace('"4"', '"5"') },
    ['evidence.ndjson', 'merkle root'],
  ],
  [
    'a row that is left out',
    { 'evidence.ndjson': (text) => text.split('\n').slice(1).join('\n') },
    ['evidence.ndjson', 'merkle root'],
  ],
  [
    'a row that is no movement',
    { 'evidence.ndjson': (text) => `${text}{"chain":"ethereum"}\n` },
    ['rows', 'evidence.ndjson', 'merkle root'],
  ],
  ['an answer that is missing', { 'answer.json': null }, ['answer.json']],
  ['a page that says something else', { 'VERIFY.md': (text) => `${text}The key is …` }, ['VERIFY.md']],
  ['a mark before a text, which readers drop', { 'answer.json': (text) => `\uFEFF${text}` }, ['answer.json']],
  ['a file that nobody signed', { 'more.json': () => '{}' }, ['more.json']],
  [
    'a digit of the statement',
    {
      'statement.dsse.json': (text) =>
        JSON.stringify(payloadOf(JSON.parse(text), (said) => said.replace('1.2.3', '1.2.4'))),
    },
    ['signature'],
  ],
  [
    'another type of payload',
    { 'statement.dsse.json': (text) => text.replace('vnd.in-toto+json', 'vnd.in-toto+xml') },
    ['signature'],
  ],
])('%s is found', (_, files, checks) => {
  expect(problemsOf(changed(files), pemOf(keys))).toEqual(checks);
});

test('a citation without a movement is found, unless the statement says that it has none', () => {
  const other = `0x${'b'.repeat(64)}`;
  const citing = { ...CONTENT, answer: `{"chain":"ethereum","signature":"${other}"}` };
  expect(problemsOf(writeCase(citing, [keys.signing]), pemOf(keys))).toEqual(['citations']);
  const told = { ...citing, withoutEvidence: [{ chain: 'ethereum', transaction: other }] };
  expect(problemsOf(writeCase(told, [keys.signing]), pemOf(keys))).toEqual([]);
});

test('another operator’s key did not sign it', async () => {
  expect(problemsOf(made, pemOf(await keysIn(temporaryFolder())))).toEqual(['signature']);
});

test('what is no case is refused as such', () => {
  for (const bytes of [Buffer.from('hello'), zipSync({ 'answer.json': strToU8('{}') })])
    expect(() => readCase(bytes)).toThrow(CaseFormatError);
  expect(() => readCase(changed({ 'statement.dsse.json': () => '{"payload":7}' }))).toThrow(CaseFormatError);
});

test('two files of one name, and bytes that are no text, are refused', () => {
  const twice = Buffer.from(changed({ 'answer.jso2': () => '{}' }))
    .toString('latin1')
    .replaceAll('answer.jso2', 'answer.json');
  expect(() => readCase(Buffer.from(twice, 'latin1'))).toThrow('two files named answer.json');
  const files = unzipSync(made);
  const broken = zipSync({ ...files, 'answer.json': Uint8Array.of(0x7b, 0xff, 0x7d) });
  expect(() => readCase(broken)).toThrow('answer.json is no text');
});

test('what unpacks to more than a case may have is refused before it is', () => {
  // Two files that say they unpack to 130 MiB each.
  const small = Buffer.from(zipSync({ a: new Uint8Array(12_345), b: new Uint8Array(12_345) }));
  const [said, claimed] = [12_345, 130 << 20].map((size) => {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32LE(size);
    return bytes.toString('latin1');
  });
  const bomb = Buffer.from(small.toString('latin1').replaceAll(said ?? '', claimed ?? ''), 'latin1');
  expect(() => readCase(bomb)).toThrow('more than 256 MiB');
});

test('plain openssl verifies the signature, and refuses another payload', () => {
  const folder = temporaryFolder();
  const { envelope } = readCase(made);
  const at = (name: string): string => join(folder, name);
  writeFileSync(at('spoor.pub'), pemOf(keys));
  writeFileSync(at('sig'), Buffer.from(envelope.signatures[0]?.sig ?? '', 'base64'));
  const check = (payload: Buffer): string => {
    writeFileSync(at('signed'), preAuthentication(envelope.payloadType, payload));
    const args = [
      'pkeyutl',
      '-verify',
      '-pubin',
      '-inkey',
      'spoor.pub',
      '-rawin',
      '-in',
      'signed',
      '-sigfile',
      'sig',
    ];
    return execFileSync('openssl', args, { cwd: folder, encoding: 'utf8', stdio: 'pipe' });
  };
  const payload = Buffer.from(envelope.payload, 'base64');
  expect(check(payload)).toContain('Signature Verified Successfully');
  expect(() => check(Buffer.concat([payload, Buffer.from(' ')]))).toThrow();
});

test('a new key signs, and what the earlier one signed is still verified by its published half', async () => {
  const folder = temporaryFolder();
  const before = await keysIn(folder);
  const zip = writeCase(CONTENT, [before.signing]);
  const after = await rotateSigningKeys(folder, 1_700_000_200);
  expect(after.published.map(({ valid_to }) => valid_to)).toEqual([1_700_000_200, null]);
  expect(problemsOf(zip, after.published[0]?.public_key ?? '')).toEqual([]);
  expect(problemsOf(writeCase(CONTENT, [after.signing]), pemOf(after))).toEqual([]);
  expect((await keysIn(folder)).signing.keyid).toBe(after.signing.keyid);
  expect(statSync(join(folder, 'evidence-keys.json')).mode & 0o777).toBe(0o600);
});

test('the signed bytes are those of the published DSSE scheme', () => {
  // From the protocol's own test vector.
  expect(preAuthentication('http://example.com/HelloWorld', Buffer.from('hello world')).toString()).toBe(
    'DSSEv1 29 http://example.com/HelloWorld 11 hello world',
  );
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const { envelope } = readCase(writeCase(CONTENT, [{ keyid: 'expert', privateKey }, keys.signing]));
  const signed = preAuthentication(envelope.payloadType, Buffer.from(envelope.payload, 'base64'));
  const bySigner = envelope.signatures.map(({ sig }) =>
    [publicKey, createPublicKey(pemOf(keys))].map((key) =>
      verify(null, signed, key, Buffer.from(sig, 'base64')),
    ),
  );
  expect(bySigner).toEqual([
    [true, false],
    [false, true],
  ]);
});

const judged = (rows: readonly EvidenceRow[], block = BLOCK): string[] => {
  const judge = new RowJudge(rows);
  judge.take(block);
  return judge.verdicts().map(({ verdict }) => verdict);
};

test('movements are verified by the block of somebody else, each as often as it is there', () => {
  expect(judged(ROWS)).toEqual(['verified', 'verified', 'verified']);
  const [first] = ROWS;
  if (!first) throw new RangeError('there are rows');
  expect(judged([first, first, first])).toEqual(['verified', 'verified', 'mismatch']);
  expect(judged([{ ...first, block: 8 }])).toEqual(['not_available']);
});

test.each<[string, Partial<EvidenceRow>]>([
  ['amount', { amount_raw: '6' }],
  ['payer', { from: 'eve' }],
  ['payee', { to: 'eve' }],
  ['asset', { asset: 'token' }],
  ['kind', { kind: 'fee' }],
  ['transaction', { transaction: '0xab' }],
  ['block hash', { block_hash: '0xother' }],
  ['time', { time: 1_700_000_001 }],
])('a row of another %s is a mismatch', (_, change) => {
  const [, , last] = ROWS;
  expect(last && judged([{ ...last, ...change }])).toEqual(['mismatch']);
});

const RSA = generateKeyPairSync('rsa', { modulusLength: 2_048 })
  .publicKey.export({ type: 'spki', format: 'pem' })
  .toString();

test('of published keys the one that a signature names is taken', async () => {
  const folder = temporaryFolder();
  const before = await keysIn(folder);
  const { envelope } = readCase(writeCase(CONTENT, [before.signing]));
  const { published } = await rotateSigningKeys(folder, 1_700_000_200);
  const pem = chooseKey(JSON.stringify({ keys: published }), envelope);
  expect(pem).toBe(published[0]?.public_key);
  expect(chooseKey(pem, envelope)).toBe(pem);
  for (const text of ['{"keys":[]}', '{}', '{', 'hello', RSA])
    expect(() => chooseKey(text, envelope)).toThrow(KeyFormatError);
});

test('processes that open the keys of a folder at one moment make one key', async () => {
  const folder = temporaryFolder();
  const opened = await Promise.all([1, 2, 3, 4].map(() => keysIn(folder)));
  expect(new Set(opened.map(({ signing }) => signing.keyid)).size).toBe(1);
});
