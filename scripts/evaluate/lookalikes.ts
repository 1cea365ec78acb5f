import { parseArgs } from 'node:util';
import { createRandom } from '../../services/demo-world/random.ts';
import { findChain } from '../../services/investigate/model/chain.ts';
import { looksAlike } from '../../services/investigate/model/looks-alike.ts';
import { type Bench, type Figure, toFigure } from '../bench/figure.ts';
import { UsageError } from '../bench/run-chosen.ts';
import { readTable } from './read-table.ts';

const COLUMNS = ['topics_to_addr', 'intended_addr'] as const;

/** Pairs of ordinary counterparties: enough to see one false alarm in a hundred thousand. */
const ORDINARY_PAIRS = 1_000_000;

/**
 * Real paid address poisonings: how many paid addresses are recognised as look-alikes of the intended ones, and
 * how many pairs of intended addresses are wrongly called alike.
 */
const run = async (argv: readonly string[]): Promise<Figure[]> => {
  const { values } = parseArgs({ args: [...argv], options: { list: { type: 'string' } } });
  if (values.list === undefined) throw new UsageError('--list takes a CSV of paid poisonings');
  const rows = await readPayoffs(values.list);
  const known = rows.filter(({ imitation, meant }) => looksAlike(imitation, meant));
  const ordinary = [...new Set(rows.map(({ meant }) => meant))];
  const random = createRandom(1);
  let alarms = 0;
  for (let pair = 0; pair < ORDINARY_PAIRS; pair++)
    if (looksAlike(random.pick(ordinary), random.pick(ordinary))) alarms += 1;
  return [
    toFigure({ name: 'lookalikes.recognised', unit: `of ${rows.length} payoffs`, atLeast: 0.99 }, [
      known.length / rows.length,
    ]),
    toFigure(
      { name: 'lookalikes.false_alarms', unit: `of ${ORDINARY_PAIRS} ordinary pairs`, atMost: 0.001 },
      [alarms / ORDINARY_PAIRS],
    ),
  ];
};

const ETHEREUM = findChain('ethereum');

const readPayoffs = async (path: string) => {
  if (ETHEREUM === null) throw new Error('ethereum is a chain');
  const chain = ETHEREUM;
  const rows = await readTable(path, COLUMNS);
  return rows.map((row) => ({
    imitation: row.address('topics_to_addr', chain),
    meant: row.address('intended_addr', chain),
  }));
};

export const evaluation: Bench = { name: 'lookalikes', run };
