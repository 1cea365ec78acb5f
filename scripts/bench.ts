/**
 * `npm run -s bench -- NAME [options]`: one JSON line a figure on stdout, a summary as the last; progress on stderr.
 * Exit 0 when it was measured, also where a goal was missed; 2 for wrong usage; 1 where it could not be measured.
 */
import { bench as decode } from './bench/decode.ts';
import { type Bench, printFigures } from './bench/figure.ts';
import { bench as follow } from './bench/follow.ts';
import { bench as log } from './bench/log.ts';
import { bench as pipeline } from './bench/pipeline.ts';

const BENCHES: readonly Bench[] = [decode, follow, log, pipeline];
const USAGE = `usage: npm run -s bench -- NAME [options]

  decode --block FILE [--block FILE …]   parse and decode over JSON.parse of the same bytes
  follow [--transfers N]                 one hop over SELECT 1, trails of 25 hops, growth to N from a tenth of N
  log                                    the embedded event log
  pipeline [--transfers N] [--blocks DIR] decoded blocks to tables, and replay of the block files of DIR
`;

const [name, ...options] = process.argv.slice(2);
const chosen = BENCHES.find((bench) => bench.name === name);
if (!chosen) {
  process.stderr.write(USAGE);
  process.exit(name === '--help' ? 0 : 2);
}
try {
  printFigures(await chosen.run(options), process.stdout);
} catch (error) {
  const isUsage =
    error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS');
  process.stderr.write(
    `${error instanceof Error ? (isUsage ? `${error.message}\n\n${USAGE}` : error.stack) : String(error)}\n`,
  );
  process.exit(isUsage ? 2 : 1);
}
