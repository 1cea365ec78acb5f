/**
 * `npm run -s answers -- record FILE` asks thousands of questions and writes every answer down; `compare BEFORE AFTER`
 * names each whose answer differs by a byte. For changes that must not change an answer: record, change, record, compare.
 */
import { parseArgs } from 'node:util';
import { compare } from './answers/compare.ts';
import { record } from './answers/record.ts';
import { say } from './bench/bench-store.ts';
import { wholeNumber } from './bench/number-options.ts';

const USAGE = `usage: npm run -s answers -- record FILE [--worlds 1,7] [--people 16] [--cases DIR] [--kinds trail,flow] [--tables N]
       npm run -s answers -- compare BEFORE AFTER

  --cases   the folder of real cases, such as ../shared/data
  --kinds   of trail, flow, trace, traces, profile, victims, insiders
  --tables  over the embedded engine, N questions of each world; without it over memory
`;

const fail = (text: string): never => {
  process.stderr.write(text);
  process.exit(2);
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    worlds: { type: 'string', default: '1,7' },
    people: { type: 'string', default: '16' },
    cases: { type: 'string' },
    kinds: { type: 'string' },
    tables: { type: 'string' },
  },
});
const [command, file = fail(USAGE), after] = positionals;

if (command === 'record')
  await record({
    file,
    worlds: values.worlds
      .split(',')
      .filter(Boolean)
      .map((seed) => wholeNumber('worlds', seed)),
    people: wholeNumber('people', values.people),
    cases: values.cases ?? null,
    kinds: values.kinds?.split(',') ?? null,
    overTables: values.tables === undefined ? null : wholeNumber('tables', values.tables),
  });
else if (command === 'compare') {
  const { same, differences } = await compare(file, after ?? fail(USAGE));
  for (const { name, before, after } of differences.slice(0, 20))
    process.stdout.write(`${name}\n  before: ${before}\n  after:  ${after}\n`);
  say(`${same} answers are the same, ${differences.length} differ`);
  process.exitCode = differences.length === 0 ? 0 : 1;
} else fail(USAGE);
