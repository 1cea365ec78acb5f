import { parseArgs } from 'node:util';
import type { TruthLine } from '../../services/demo-world/truth.ts';
import { findChain } from '../../services/investigate/model/chain.ts';
import { findVictims } from '../../services/investigate/victims/find-victims.ts';
import { VICTIMS_MAX } from '../../services/investigate/victims/rules.ts';
import type { VictimsReport } from '../../services/investigate/victims/victims-report.ts';
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
import { gradeVictims } from './grade-victims.ts';
import { parsePeople, parseSeed, type WorldTables, withWorldTables } from './world-tables.ts';

/**
 * Victims of every drainer of a generated world. Only the drainers' addresses are taken from the truth beforehand.
 */
const run = async (argv: readonly string[]): Promise<Figure[]> => {
  const { values } = parseArgs({
    args: [...argv],
    options: { world: { type: 'string' }, people: { type: 'string' } },
  });
  const world = { seed: parseSeed(values.world), hardCases: true, ...parsePeople(values.people) };
  return withWorldTables(world, async (tables) => {
    const reports = await askAll(tables);
    say(`${reports.length} addresses asked about`);
    return gradeVictims(reports, tables.openTruth());
  });
};

const askAll = async ({ client, openTruth }: WorldTables): Promise<VictimsReport[]> => {
  const dependencies = {
    cases: createCaseReader(client),
    funders: createFunderReader(client),
    controls: createControlReader(client),
    tokens: createTokenReader(client),
    reader: createTransferReader(client),
    prices: createPriceReader(client),
    assets: createAssetReader(client),
    clock: systemClock,
    signal: new AbortController().signal,
  };
  const reports: VictimsReport[] = [];
  for (const { chain: name, address } of openTruth().filter(isDrainer)) {
    const chain = findChain(name);
    if (chain === null) throw new Error(`${name}: no such chain`);
    const span = { fromUnixSeconds: 0, toUnixSeconds: 4_294_967_295 };
    reports.push(await findVictims({ chain, address, ...span, limit: VICTIMS_MAX }, dependencies));
  }
  return reports;
};

const isDrainer = (line: TruthLine): line is Extract<TruthLine, { type: 'drainer' }> =>
  line.type === 'drainer';

export const evaluation: Bench = { name: 'victims', run };
