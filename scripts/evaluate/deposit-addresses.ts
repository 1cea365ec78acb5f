import { parseArgs } from 'node:util';
import type { TruthLine } from '../../services/demo-world/truth.ts';
import { SWEEPS_MIN } from '../../services/warehouse/derive/deposit-rules.ts';
import { type Bench, type Figure, toFigure } from '../bench/figure.ts';
import { parsePeople, parseSeed, type WorldTables, withWorldTables } from './world-tables.ts';

type Found = { readonly chain: string; readonly address: string; readonly entity: string };
type Truth = Extract<TruthLine, { type: 'deposit_address' }>;

const key = ({ chain, address }: Pick<Found, 'chain' | 'address'>): string => `${chain} ${address}`;

/**
 * Finds deposit addresses from behaviour and public labels of hot wallets alone. Addresses with fewer than two
 * sweeps need not be found and do not count as wrong.
 */
const run = async (argv: readonly string[]): Promise<Figure[]> => {
  const { values } = parseArgs({
    args: [...argv],
    options: { world: { type: 'string' }, people: { type: 'string' } },
  });
  const world = { seed: parseSeed(values.world), ...parsePeople(values.people) };
  return withWorldTables(world, async (tables) => {
    const found = await readFound(tables);
    return grade(found, tables.openTruth());
  });
};

const readFound = async ({ client }: WorldTables): Promise<Found[]> => {
  const answer = await client.query({
    query: 'SELECT chain, address, entity FROM deposit_addresses FINAL WHERE holds',
    format: 'JSONEachRow',
  });
  return answer.json<Found>();
};

export const grade = (found: readonly Found[], truth: readonly TruthLine[]): Figure[] => {
  const real = truth.filter((line): line is Truth => line.type === 'deposit_address');
  const exchangeOf = new Map(real.map((line) => [key(line), line.exchange]));
  const right = found.filter((each) => exchangeOf.get(key(each)) === each.entity);
  const foundKeys = new Set(right.map(key));
  const tellable = real.filter(({ sweeps }) => sweeps >= SWEEPS_MIN);
  const recalled = tellable.filter((line) => foundKeys.has(key(line)));
  const subject = `${found.length} found, ${tellable.length} to be found`;
  const share = (part: number, all: number): number[] => [all === 0 ? 0 : part / all];
  return [
    toFigure(
      { name: 'deposit-addresses.precision', unit: 'share', subject, atLeast: 0.98 },
      share(right.length, found.length),
    ),
    toFigure(
      { name: 'deposit-addresses.recall', unit: 'share', subject, atLeast: 0.95 },
      share(recalled.length, tellable.length),
    ),
  ];
};

export const evaluation: Bench = { name: 'deposit-addresses', run };
