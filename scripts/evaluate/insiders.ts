import { parseArgs } from 'node:util';
import type { TruthLine } from '../../services/demo-world/truth.ts';
import { findInsiders } from '../../services/investigate/insiders/find-insiders.ts';
import type { InsidersReport } from '../../services/investigate/insiders/insiders-report.ts';
import { WINDOW_MAX_SECONDS } from '../../services/investigate/insiders/rules.ts';
import { findChain } from '../../services/investigate/model/chain.ts';
import { systemClock } from '../../services/platform/clock.ts';
import { createAssetReader } from '../../services/warehouse/read/assets/assets.ts';
import { createPriceReader } from '../../services/warehouse/read/assets/price.ts';
import { createCaseReader } from '../../services/warehouse/read/create-case-reader.ts';
import { createControlReader } from '../../services/warehouse/read/create-control-reader.ts';
import { createFunderReader } from '../../services/warehouse/read/create-funder-reader.ts';
import { createTokenReader } from '../../services/warehouse/read/create-token-reader.ts';
import { createTransferReader } from '../../services/warehouse/read/create-transfer-reader.ts';
import { say } from '../bench/bench-store.ts';
import type { Bench, Figure } from '../bench/figure.ts';
import { gradeInsiders } from './grade-insiders.ts';
import { parsePeople, parseSeed, type WorldTables, withWorldTables } from './world-tables.ts';

/** Insiders of every token launched in a generated world. Only the tokens are taken from the truth beforehand. */
const run = async (argv: readonly string[]): Promise<Figure[]> => {
  const { values } = parseArgs({
    args: [...argv],
    options: { world: { type: 'string' }, people: { type: 'string' } },
  });
  const world = { seed: parseSeed(values.world), hardCases: true, ...parsePeople(values.people) };
  return withWorldTables(world, async (tables) => {
    const reports = await askAll(tables);
    say(`${reports.length} tokens asked about`);
    return gradeInsiders(reports, tables.openTruth());
  });
};

const askAll = async ({ client, openTruth }: WorldTables): Promise<InsidersReport[]> => {
  const dependencies = {
    tokens: createTokenReader(client),
    cases: createCaseReader(client),
    funders: createFunderReader(client),
    controls: createControlReader(client),
    reader: createTransferReader(client),
    prices: createPriceReader(client),
    assets: createAssetReader(client),
    clock: systemClock,
    signal: new AbortController().signal,
  };
  const reports: InsidersReport[] = [];
  for (const { chain: name, token } of openTruth().filter(isLaunch)) {
    const chain = findChain(name);
    if (chain === null) throw new Error(`${name}: no such chain`);
    reports.push(await findInsiders({ chain, token, windowSeconds: WINDOW_MAX_SECONDS }, dependencies));
  }
  return reports;
};

const isLaunch = (line: TruthLine): line is Extract<TruthLine, { type: 'launch' }> => line.type === 'launch';

export const evaluation: Bench = { name: 'insiders', run };
