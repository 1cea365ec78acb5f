/**
 * `npm run -s evaluate -- NAME [options]`: how right the answers are; the truth is opened by the grader only, after they
 * were given. One JSON line a figure on stdout, a summary as the last; progress on stderr.
 */
import type { Bench } from './bench/figure.ts';
import { runChosen } from './bench/run-chosen.ts';

// One file an evaluation in `evaluate/`, which gives its figures as a benchmark does.
const EVALUATIONS: readonly Bench[] = [];
const USAGE = `usage: npm run -s evaluate -- NAME [options]

`;

await runChosen(EVALUATIONS, USAGE, process.argv.slice(2));
