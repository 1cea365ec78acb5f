import {
  copyFileSync,
  createReadStream,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TruthLine } from '../../demo-world/truth.ts';
import { worldBlocks } from '../../demo-world/world-blocks.ts';
import { writeBlockFiles } from '../../demo-world/write-block-files.ts';
import { readCsv } from '../../platform/read-csv.ts';
import { runCommand } from '../../testing/run-command.ts';
import { PROGRAMS, startProgram } from '../../testing/run-program.ts';
import type { RetraceAnswer } from '../retrace/result.ts';

const OPTIONS = { seed: 3, people: 12, days: 3, blockSeconds: 1_200 };
const ANCHORS = 150;
const TIMEOUT_MS = 400_000;
const COLUMNS = ['chain', 'wallet', 'counterparty', 'signature', 'direction'] as const;
const BAD = ['solana', 'nobody', 'nothing', 'never', 'out'];

const folder = mkdtempSync(join(tmpdir(), 'spoor-retrace-'));
const file = (name: string): string => join(folder, name);
const env = { SPOOR_DATA: file('data') };
const anchors: string[][] = [];

/** Of an undisturbed run. */
let undisturbed: Awaited<ReturnType<typeof run>>;

const run = async (...args: string[]) => {
  const ended = await runCommand(args, env);
  expect(ended.code, ended.stderr).toBe(0);
  return ended;
};

beforeAll(async () => {
  const truth: TruthLine[] = [];
  const services = new Set<string>();
  const list = ['address,chain,name,kind,source'];
  const blocks = [...worldBlocks(OPTIONS, (line) => truth.push(line))];
  for (const line of truth) {
    if (line.type !== 'label' || !line.known) continue;
    list.push(`${line.address},${line.chain},${line.name},${line.kind},world`);
    if (['mixer', 'exchange'].includes(line.kind)) services.add(`${line.chain} ${line.address}`);
  }
  for (const { chain, movements, transactions } of blocks)
    for (const { txIndex, from, to, asset } of movements) {
      const isIn = services.has(`${chain} ${to}`);
      if (asset !== 'native' || from === null || to === null || isIn === services.has(`${chain} ${from}`))
        continue;
      const hash = transactions.find((transaction) => transaction.txIndex === txIndex)?.hash ?? '';
      anchors.push([chain, ...(isIn ? [from, to] : [to, from]), hash, isIn ? 'out' : 'in']);
    }
  anchors.splice(ANCHORS);
  writeFileSync(file('labels.csv'), `${list.join('\n')}\n`);
  const lines = [COLUMNS, ...anchors.slice(0, 7), BAD, ...anchors.slice(7)].map((row) => row.join(','));
  writeFileSync(file('anchors.csv'), `${lines.join('\n')}\n`);
  writeBlockFiles(file('blocks'), OPTIONS);
  await run('replay', file('blocks'));
  await run('labels', 'import', 'csv', file('labels.csv'));
  undisturbed = await run(...retrace('whole.jsonl', '--input', file('anchors.csv')));
}, TIMEOUT_MS);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const retrace = (out: string, ...more: string[]): string[] => [
  ...['retrace', '--local', '--window', '604800', '--out', file(out), '--json', ...more],
];

const sizeOf = (path: string): number => (existsSync(path) ? statSync(path).size : 0);

test(
  'a run that is killed with −9 or interrupted goes on where it was, and ends with what an undisturbed one writes',
  async () => {
    const input = ['--input', file('anchors.csv')];
    expect(undisturbed.stderr).toContain('refused: line 9: wallet is not a Solana address');
    const totals = JSON.parse(undisturbed.stdout) as Record<string, number>;
    expect(totals).toMatchObject({ anchors: ANCHORS, refused_rows: 1, traced_now: ANCHORS });
    const journal = file('killed.jsonl.unfinished');
    let last = 0;
    for (const signal of ['SIGKILL', 'SIGINT'] as const) {
      const program = startProgram(PROGRAMS.cli, retrace('killed.jsonl', ...input), env);
      await expect.poll(() => sizeOf(journal), { timeout: TIMEOUT_MS }).toBeGreaterThan(last + 1_000);
      program.process.kill(signal);
      const { code } = await program.ended;
      expect(code).toBe(signal === 'SIGINT' ? 130 : null);
      expect(existsSync(file('killed.jsonl'))).toBe(false);
      last = sizeOf(journal);
    }
    // As a crash leaves it that hits in the middle of a line.
    writeFileSync(journal, '{"at":"line', { flag: 'a' });
    const other = await runCommand(retrace('killed.jsonl', ...input, '--window', '60'), env);
    expect(other).toMatchObject({ code: 1, stderr: expect.stringContaining('other options') });
    const rest = await run(...retrace('killed.jsonl', ...input));
    const { traced_now: traced } = JSON.parse(rest.stdout) as { traced_now: number };
    expect(traced).toBeLessThanOrEqual(ANCHORS - 64);
    expect(traced).toBeGreaterThan(0);
    expect(readFileSync(file('killed.jsonl'), 'utf8')).toBe(readFileSync(file('whole.jsonl'), 'utf8'));
    expect(existsSync(journal)).toBe(false);
    const again = await runCommand(retrace('killed.jsonl', ...input), env);
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('is there already') });
  },
  TIMEOUT_MS,
);

type Change = {
  readonly run: string;
  readonly anchor: { readonly signature: string };
  readonly lost: readonly { readonly address: string; readonly causes: readonly object[] }[];
};
const linesOf = <Line>(name: string): Line[] =>
  readFileSync(file(name), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line);

test(
  'what a label changed is told once, with the label, also where the run was killed; and rounds go on until they are ended',
  async () => {
    type Answered = {
      answer?: { candidates: { address: string; label: string | null }[]; meta: { chain: string } };
    };
    const input = ['--input', file('anchors.csv')];
    const out = 'watched.jsonl';
    copyFileSync(file('whole.jsonl'), file(out));
    const answers = linesOf<Answered>(out).flatMap(({ answer }) => answer ?? []);
    const [first] = answers.filter(({ candidates }) => candidates.length > 1);
    const lost = first?.candidates.find(({ label }) => label === null)?.address ?? '';
    const shown = answers.filter(({ candidates }) =>
      candidates.some(({ address }) => address === lost),
    ).length;
    const list = ['address,chain,name,kind,source', `${lost},${first?.meta.chain},Till 1,exchange,test`];
    writeFileSync(file('till.csv'), `${list.join('\n')}\n`);
    await run('labels', 'import', 'csv', file('till.csv'));

    const again = startProgram(PROGRAMS.cli, retrace(out, ...input, '--again'), env);
    await expect
      .poll(() => sizeOf(file(`${out}.unfinished`)), { timeout: TIMEOUT_MS })
      .toBeGreaterThan(1_000);
    again.process.kill('SIGKILL');
    await again.ended;
    const ended = await run(...retrace(out, ...input, '--again'));
    const changes = linesOf<Change>('watched.changes.jsonl');
    const { changes: totals } = JSON.parse(ended.stdout) as { changes: Record<string, number> };
    expect(totals).toMatchObject({ changed: changes.length, lost: shown, anchors_new: 0 });
    expect(new Set(changes.map(({ run: id, anchor }) => `${id} ${anchor.signature}`)).size).toBe(
      changes.length,
    );
    const told = changes.flatMap((change) => change.lost).filter(({ address }) => address === lost);
    expect(told).toHaveLength(shown);
    for (const { causes } of told)
      expect(causes).toEqual([
        { kind: 'label', address: lost, before: null, after: { kind: 'exchange', name: 'Till 1' } },
      ]);

    const rounds = startProgram(PROGRAMS.cli, retrace(out, ...input, '--every', '1'), env);
    await expect.poll(() => rounds.stdout().split('\n').length, { timeout: TIMEOUT_MS }).toBeGreaterThan(2);
    rounds.process.kill('SIGINT');
    expect((await rounds.ended).code).toBe(130);
    // Nothing changed since.
    expect(linesOf<Change>('watched.changes.jsonl')).toEqual(changes);
  },
  TIMEOUT_MS,
);

test(
  'a price that changed between two runs is told as what changed a trace',
  async () => {
    type Answered = { anchor: Record<string, string>; answer?: RetraceAnswer };
    const input = file('known.csv');
    const known = anchors.filter(([chain, , , , direction]) => chain === 'ethereum' && direction === 'out');
    writeFileSync(input, [COLUMNS, ...known].map((row) => row.join(',')).join('\n'));
    await run(...retrace('known.jsonl', '--input', input));
    const { anchor, answer } =
      linesOf<Answered>('known.jsonl').find((line) => (line.answer?.candidates.length ?? 0) > 0) ?? {};
    const { amount = 0, time = 0 } = answer?.anchor ?? {};
    // Nobody has indexed this one, so that the price decides whether its coin or its dollars are looked for.
    const row = [anchor?.wallet, anchor?.counterparty, `0x${'f'.repeat(64)}`, 'out', 'ethereum'];
    const names = ['wallet', 'counterparty', 'signature', 'direction', 'chain', 'time', 'sol', 'usd'];
    const dollars = 50 * amount;
    writeFileSync(input, `${names.join(',')}\n${[...row, time, amount, dollars].join(',')}\n`);
    const price = async (usd: number): Promise<void> => {
      writeFileSync(file('eth.csv'), `time,usd\n${time - (time % 86_400)},${usd}\n`);
      await run('prices', 'import', file('eth.csv'), '--chain', 'ethereum', '--asset', 'native');
    };
    await price(10);
    await run(...retrace('priced.jsonl', '--input', input));
    await price(1_000);
    await run(...retrace('priced.jsonl', '--input', input, '--again'));
    const [change] = linesOf<{ new: { causes: object[] }[] }>('priced.changes.jsonl');
    const cause = { kind: 'price', of: `native ${time}`, before: 10, after: 1_000 };
    expect(change?.new.length).toBeGreaterThan(0);
    for (const { causes } of change?.new ?? []) expect(causes).toEqual([cause]);
  },
  TIMEOUT_MS,
);

test(
  'anchors of a Parquet file or of a question, and rows of candidates as CSV and as Parquet',
  async () => {
    // In the order in which the rows of a question are taken.
    const some = anchors.slice(-30).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
    const columnData = COLUMNS.map((name, at) => ({ name, data: some.map((row) => row[at] ?? '') }));
    writeFileSync(file('anchors.parquet'), Buffer.from(parquetWriteBuffer({ columnData })));
    await run(...retrace('rows.csv', '--input', file('anchors.parquet')));
    const values = some.map((row) => `(${row.map((cell) => `'${cell}'`).join(', ')})`).join(', ');
    const types = COLUMNS.map((name) => `${name} String`).join(', ');
    await run(...retrace('rows.parquet', '--sql', `SELECT * FROM values('${types}', ${values})`));
    const rows = await parquetReadObjects({ file: await asyncBufferFromFile(file('rows.parquet')) });
    expect(rows.filter(({ candidate }) => candidate !== null).length).toBeGreaterThan(0);
    const names = Object.keys(rows[0] ?? {});
    const csv: (string | undefined)[][] = [];
    const form = {
      nameColumns: (header: readonly string[]) => [...header],
      needed: names,
      refuse: (problem: string) => new Error(problem),
    };
    for await (const record of readCsv(createReadStream(file('rows.csv')), form))
      if ('cell' in record) csv.push(names.map((name) => record.cell(name)));
    const shown = (value: unknown): string =>
      value === null || value === undefined
        ? ''
        : typeof value === 'boolean'
          ? value
            ? '1'
            : ''
          : String(value);
    expect(csv).toEqual(rows.map((row) => names.map((name) => shown(row[name]))));
    const writes = await runCommand(retrace('no.csv', '--sql', 'DROP TABLE transfers'), env);
    expect(writes).toMatchObject({ code: 1, stderr: expect.stringContaining('--sql') });
    expect(existsSync(file('no.csv'))).toBe(false);
  },
  TIMEOUT_MS,
);
