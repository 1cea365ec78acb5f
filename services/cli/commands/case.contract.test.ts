import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createWorld } from '../../demo-world/create-world.ts';
import { serveWorld } from '../../demo-world/rpc/serve-world.ts';
import type { TruthLine } from '../../demo-world/truth.ts';
import { writeBlockFiles } from '../../demo-world/write-block-files.ts';
import { readCase } from '../../evidence/case-file.ts';
import { readLine } from '../../evidence/evidence-row.ts';
import { readStatement } from '../../evidence/statement.ts';
import { runCommand } from '../../testing/run-command.ts';

const OPTIONS = { seed: 3, people: 12, days: 1, blockSeconds: 1_800 };
type Trail = Extract<TruthLine, { type: 'trail' }>;

const folder = mkdtempSync(join(tmpdir(), 'spoor-case-'));
const at = (name: string): string => join(folder, name);
const run = (...args: string[]) => runCommand(args, { SPOOR_DATA: at('data') });
const trails: Trail[] = [];

beforeAll(async () => {
  const note = (line: TruthLine): void => {
    if (line.type === 'trail' && line.hops.length > 1) trails.push(line);
  };
  for (const _ of createWorld(OPTIONS, note).blocks());
  writeBlockFiles(at('blocks'), OPTIONS);
  const replayed = await run('replay', at('blocks'));
  expect(replayed, replayed.stderr).toMatchObject({ code: 0 });
  const { chain, start, since } = trails[0] as Trail;
  const asked = await run('follow', start, '--chain', chain, '--since', String(since), '--local', '--json');
  expect(asked, asked.stderr).toMatchObject({ code: 0 });
  writeFileSync(at('answer.json'), asked.stdout);
  const made = await run('case', at('answer.json'), '--out', at('case.zip'), '--public-key', at('spoor.pub'));
  expect(made, made.stderr).toMatchObject({ code: 0 });
});
afterAll(() => rmSync(folder, { recursive: true }));

const verify = (...args: string[]) =>
  run('verify', at('case.zip'), '--key', at('spoor.pub'), '--json', ...args);
const reportOf = ({ stdout }: { stdout: string }) =>
  JSON.parse(stdout) as { rows: Record<string, number>; wrong: { verdict: string; transaction: string }[] };

test('a case of a trail is verified from the blocks, without the store that made it', async () => {
  rmSync(at('elsewhere'), { recursive: true, force: true });
  const checked = await runCommand(
    ['verify', at('case.zip'), '--key', at('spoor.pub'), '--blocks', at('blocks'), '--json'],
    { SPOOR_DATA: at('elsewhere') },
  );
  expect(checked, checked.stderr).toMatchObject({ code: 0 });
  const { rows, wrong } = reportOf(checked);
  expect(wrong).toEqual([]);
  expect(rows.verified).toBeGreaterThan(0);
  const answer = JSON.parse(readFileSync(at('answer.json'), 'utf8')) as { hops: { signature: string }[] };
  const { files } = readCase(readFileSync(at('case.zip')));
  const lines = (files.get('evidence.ndjson') ?? '').trim().split('\n');
  const hashes = lines.map((line) => readLine(line).transaction);
  for (const { signature } of answer.hops) expect(hashes).toContain(signature);
});

test('without blocks the signature is checked, and said that movements were not looked at', async () => {
  const checked = await run('verify', at('case.zip'), '--key', at('spoor.pub'));
  expect(checked).toMatchObject({ code: 0 });
  expect(checked.stdout).toMatch(/^ok +signature$/m);
  expect(checked.stdout).toMatch(/movements were not looked at: give --blocks or --rpc$/m);
});

test('a node of somebody else verifies it as well; one without the blocks leaves it open', async () => {
  const served = await serveWorld(createWorld(OPTIONS));
  try {
    const url = (chain: string): string => `${chain}=${served.url}/${chain}`;
    const { chain } = trails[0] as Trail;
    const checked = await verify('--rpc', url(chain));
    expect(checked, checked.stderr).toMatchObject({ code: 0 });
    expect(reportOf(checked).rows).toMatchObject({ mismatch: 0, not_available: 0 });
  } finally {
    await served.close();
  }
  const none = await verify('--blocks', at('answer.json'));
  expect(none.code).not.toBe(0);
});

test('blocks in which an amount is another are told row by row, with code 1', async () => {
  const other = at('other-world');
  writeBlockFiles(other, { ...OPTIONS, seed: 4 });
  const checked = await verify('--blocks', other);
  // Another world has other blocks at the same numbers.
  expect(checked.code, checked.stdout).toBe(1);
  expect(reportOf(checked).rows.verified).toBe(0);
});

test('a question that is asked with --save leaves its case, with what was asked', async () => {
  const { chain, start, since } = trails[0] as Trail;
  const question = ['follow', start, '--chain', chain, '--since', String(since), '--local', '--json'];
  const asked = await run(...question, '--save', at('saved.zip'));
  expect(asked, asked.stderr).toMatchObject({ code: 0 });
  const { envelope, files } = readCase(readFileSync(at('saved.zip')));
  expect(JSON.parse(files.get('answer.json') ?? '')).toEqual(JSON.parse(asked.stdout));
  expect(readStatement(Buffer.from(envelope.payload, 'base64').toString()).predicate.question).toMatchObject({
    path: '/follow',
    body: { chain, address: start },
  });
  expect(await run('verify', at('saved.zip'), '--key', at('spoor.pub'))).toMatchObject({ code: 0 });
});

test('after a new key the earlier case is verified by the published keys, and the later one by the new', async () => {
  const made = await run(
    'case',
    at('answer.json'),
    '--out',
    at('later.zip'),
    '--new-key',
    '--public-key',
    at('new.pub'),
  );
  expect(made, made.stderr).toMatchObject({ code: 0 });
  expect(await run('verify', at('later.zip'), '--key', at('new.pub'))).toMatchObject({ code: 0 });
  expect(await run('verify', at('later.zip'), '--key', at('spoor.pub'))).toMatchObject({ code: 1 });
  expect(await verify()).toMatchObject({ code: 0 });
});

test('what is no answer is not signed, and what is no key verifies nothing: each is said without a stack', async () => {
  writeFileSync(at('notes.json'), '{"hello":1}');
  writeFileSync(at('notes.txt'), 'hello');
  for (const file of ['notes.json', 'notes.txt']) {
    const made = await run('case', at(file), '--out', at('none.zip'));
    expect(made).toMatchObject({ code: 1, stderr: expect.stringContaining('this is no answer') });
    expect(made.stderr).not.toContain('    at ');
    expect(existsSync(at('none.zip'))).toBe(false);
  }
  const checked = await run('verify', at('case.zip'), '--key', at('notes.json'));
  expect(checked).toMatchObject({ code: 1, stderr: expect.stringContaining('nor a spoor-keys.json') });
  expect(checked.stderr).not.toContain('    at ');
});
