import { parse } from 'csv-parse/sync';
import { expect, test } from 'vitest';
import { createMemoryReader } from '../../testing/memory-reader.ts';
import { ANN, openBilledApi, story } from '../../testing/open-billed-api.ts';
import { runCommand } from '../../testing/run-command.ts';
import { PROGRAMS, runProgram } from '../../testing/run-program.ts';
import { startApi } from '../../testing/start-api.ts';

const spoor = (args: readonly string[], env: Readonly<Record<string, string>> = {}) => runCommand(args, env);

/** As a process: one of each exit code, and what completes commands before one is chosen. */
const start = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  runProgram(PROGRAMS.cli, args, env);

test('a trail is drawn for a person, told whole as JSON, and given as CSV with a header', async () => {
  await using api = await startApi({ reader: createMemoryReader(story) });
  const asked = ['follow', ANN, '--chain', 'ethereum', '--url', api.url];
  const drawn = await spoor(asked);
  const json = await start([...asked, '--json']);
  const csv = await spoor([...asked, '--csv']);
  expect([drawn.code, json.code, csv.code]).toEqual([0, 0, 0]);
  const answer = JSON.parse(json.stdout) as { hops: { from: string; to: string; amount_raw: string }[] };
  const [hop] = answer.hops;
  expect(drawn.stdout).toContain(hop?.from);
  expect(drawn.stdout).toContain(hop?.to);
  expect(drawn.stdout).toMatch(/^at_rest: /m);
  expect(parse(csv.stdout, { columns: true })).toMatchObject([
    { hop: '1', from: hop?.from, to: hop?.to, amount_raw: hop?.amount_raw },
    { hop: '', to: hop?.to, end: 'at_rest' },
  ]);
});

test('a whole flow starts at several wallets', async () => {
  await using api = await startApi({ reader: createMemoryReader(story) });
  const [one, two] = ['1', '2'].map((digit) => `0x${digit.repeat(40)}`);
  const flow = ['follow', ANN, '--chain', 'ethereum', '--asset', 'native', '--since', '900', '--graph'];
  const told = await spoor([
    ...flow,
    '--starts',
    `${one}`,
    `${two}@1970-01-01T00:10Z`,
    '--url',
    api.url,
    '--json',
  ]);
  expect(told.code).toBe(0);
  const { starts, coverage } = JSON.parse(told.stdout) as { starts: string[]; coverage: object };
  expect(starts.map((address) => address.toLowerCase())).toEqual([ANN, one, two]);
  expect(coverage).toMatchObject({ taken: { amount_raw: '100' } });
  expect(await spoor([...flow, '--starts', `${one}@soon`])).toMatchObject({ code: 2, stdout: '' });
});

test('what the service refuses is a sentence on stderr and exit code 1; wrong usage is 2', async () => {
  await using service = await openBilledApi();
  const refused = await start(['follow', 'nonsense', '--url', service.api.url], { SPOOR_KEY: service.key });
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  expect(refused.stderr).toContain('`address`');
  const unpaid = await spoor(['follow', ANN, '--url', service.api.url]);
  expect(unpaid).toMatchObject({ code: 1, stdout: '' });
  expect(unpaid.stderr).toContain('key');
  expect(await start(['follow', ANN, '--since', 'yesterday'])).toMatchObject({ code: 2, stdout: '' });
  expect(await spoor(['follow', ANN, '--url', 'not an address'])).toMatchObject({ code: 2, stdout: '' });
});

test.each(['follow', 'trace', 'analyze', 'insiders', 'victims', 'mcp'])(
  'spoor %s --help shows an example and which server it asks',
  async (command) => {
    const { code, stdout } = await spoor([command, '--help']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/Example/);
    expect(stdout).toContain('--url');
  },
);

test('a shell completes commands', async () => {
  const { code, stdout } = await start(['complete', '--', 'vic']);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^victims\t/m);
});
