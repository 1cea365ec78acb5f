import { parseArgs } from 'node:util';
import { tableReaders } from '../answers/readers.ts';
import { say } from '../bench/bench-store.ts';
import { type Bench, type Figure, toFigure } from '../bench/figure.ts';
import { wholeNumber } from '../bench/number-options.ts';
import { askRoutes } from './ask-routes.ts';
import { type Compared, compareRoutes } from './compare-routes.ts';
import { rememberAnswers } from './remember-answers.ts';
import { parsePeople, parseSeed, withWorldTables } from './world-tables.ts';

const EACH = 40;

/**
 * Asks all routes about the wallets of thefts of a generated world, and compares what they say of the same payments and
 * parties. Of the losses and of the other thefts of each chain `--each` are taken. Each difference is a line on stderr.
 */
const run = async (argv: readonly string[]): Promise<Figure[]> => {
  const { values } = parseArgs({
    args: [...argv],
    options: { world: { type: 'string' }, people: { type: 'string' }, each: { type: 'string' } },
  });
  const most = wholeNumber('each', values.each ?? String(EACH));
  const world = { seed: parseSeed(values.world), hardCases: true, ...parsePeople(values.people) };
  return withWorldTables(world, async ({ client, openTruth }) => {
    const truth = openTruth();
    const chains = new Set(truth.flatMap((line) => (line.type === 'drainer' ? [line.chain] : [])));
    const readers = tableReaders(rememberAnswers(client));
    const compared: Compared[] = [];
    for (const chain of chains)
      compared.push(compareRoutes(await askRoutes(chain, truth, readers, { most, tell: say })));
    const differences = compared.flatMap((each) => each.differences);
    for (const difference of differences) say(`differs: ${difference}`);
    const sum = (part: 'losses' | 'payments' | 'addresses'): number =>
      compared.reduce((all, each) => all + each[part], 0);
    const figure = (part: string, unit: string, value: number, atMost?: number): Figure =>
      toFigure({ name: `routes.${part}`, unit, ...(atMost !== undefined && { atMost }) }, [value]);
    return [
      figure('losses', 'losses of victims, each named by every route', sum('losses')),
      figure('payments', 'payments that several routes name', sum('payments')),
      figure('addresses', 'addresses of which several routes say who they are', sum('addresses')),
      figure('differences', 'differences', differences.length, 0),
    ];
  });
};

export const evaluation: Bench = { name: 'routes', run };
