import { parseArgs } from 'node:util';
import { createRandom } from '../../services/demo-world/random.ts';
import type { TruthLine } from '../../services/demo-world/truth.ts';
import { analyze } from '../../services/investigate/analyze/analyze.ts';
import type { Profile } from '../../services/investigate/analyze/profile.ts';
import type { Backfills } from '../../services/investigate/model/backfills.ts';
import type { DecodedBlock } from '../../services/investigate/model/block.ts';
import { findChain } from '../../services/investigate/model/chain.ts';
import { systemClock } from '../../services/platform/clock.ts';
import type { WarehouseClient } from '../../services/platform/warehouse-engine/warehouse.ts';
import { createAssetReader } from '../../services/warehouse/read/assets/assets.ts';
import { createPriceReader } from '../../services/warehouse/read/assets/price.ts';
import { createControlReader } from '../../services/warehouse/read/create-control-reader.ts';
import { createProfileReader } from '../../services/warehouse/read/create-profile-reader.ts';
import { createTokenReader } from '../../services/warehouse/read/create-token-reader.ts';
import { say } from '../bench/bench-store.ts';
import type { Bench, Figure } from '../bench/figure.ts';
import { wholeNumber } from '../bench/number-options.ts';
import { gradeProfiles } from './grade-profiles.ts';
import { readReference } from './reference-exposure.ts';
import { parsePeople, parseSeed, withWorldTables } from './world-tables.ts';

export type Subject = { readonly chain: string; readonly address: string };
export const subjectKey = ({ chain, address }: Subject): string => `${chain} ${address}`;

const PERSONS = 60;
const DEPOSIT_ADDRESSES = 20;
const IMITATIONS = 60;
const UNUSED = 20;

/**
 * Only addresses are taken from the truth: named ones, some persons, deposit addresses, imitations, and some that
 * do not exist. Of each sort at most `most`.
 */
const chooseSubjects = (truth: readonly TruthLine[], seed: number, most: number): Subject[] => {
  const random = createRandom(seed).fork('profiles');
  const some = <T>(all: readonly T[], count: number): T[] =>
    all
      .map((item) => ({ item, order: random.unit() }))
      .toSorted((a, b) => a.order - b.order)
      .slice(0, Math.min(count, most))
      .map(({ item }) => item);
  const owners = truth.filter((line) => line.type === 'owner');
  const persons = owners.filter(({ kind }) => kind === 'person').flatMap(({ wallets }) => wallets);
  const named = ['label', 'case', 'drainer'].flatMap((type) => {
    const all = truth.filter((line) => line.type === type);
    return all.filter((_, at) => at % Math.ceil(all.length / most || 1) === 0);
  });
  const imitations = truth.filter((line) => line.type === 'lookalike');
  const deposits = truth.filter((line) => line.type === 'deposit_address');
  const digits = (length: number, of: string): string =>
    Array.from({ length }, () => of.charAt(random.below(of.length))).join('');
  const unused = Array.from({ length: Math.min(UNUSED, most) }, () => ({
    chain: 'ethereum',
    address: `0x${digits(40, '0123456789abcdef')}`,
  }));
  const chosen = [
    ...named,
    ...some(persons, PERSONS),
    ...some(deposits, DEPOSIT_ADDRESSES),
    ...some(imitations, IMITATIONS),
    ...unused,
  ] as Subject[];
  return [
    ...new Map(
      chosen.map(({ chain, address }) => [subjectKey({ chain, address }), { chain, address }]),
    ).values(),
  ];
};

/** A world's wallets begin with it, though its blocks do not begin their chain. */
const WHOLE: Backfills = {
  canBackfill: () => false,
  lastBackfill: () => ({ readAtUnixSeconds: Number.MAX_SAFE_INTEGER, missing: 'nothing' }),
};

const analyzeAll = async (
  subjects: readonly Subject[],
  client: WarehouseClient,
): Promise<ReadonlyMap<string, Profile>> => {
  const ports = {
    ...{ reader: createProfileReader(client), control: createControlReader(client) },
    ...{ tokens: createTokenReader(client), prices: createPriceReader(client) },
    ...{ assets: createAssetReader(client), backfills: WHOLE, clock: systemClock },
    signal: new AbortController().signal,
  };
  const profiles = new Map<string, Profile>();
  for (const subject of subjects) {
    const chain = findChain(subject.chain);
    if (chain === null) throw new Error(`chain ${subject.chain} is not known`);
    profiles.set(subjectKey(subject), await analyze({ chain, address: subject.address }, ports));
  }
  return profiles;
};

/** Profiles of a world with hard cases: identity, risk and exposure. */
const run = async (argv: readonly string[]): Promise<Figure[]> => {
  const { values } = parseArgs({
    args: [...argv],
    options: { world: { type: 'string' }, people: { type: 'string' }, each: { type: 'string' } },
  });
  const seed = parseSeed(values.world);
  const most = values.each === undefined ? Number.POSITIVE_INFINITY : wholeNumber('each', values.each);
  const blocks: DecodedBlock[] = [];
  const onBlock = (block: DecodedBlock): void => void blocks.push(block);
  const world = { seed, ...parsePeople(values.people), hardCases: true, onBlock };
  return withWorldTables(world, async ({ client, publicLabels, depositLabels, openTruth }) => {
    const subjects = chooseSubjects(openTruth(), seed, most);
    const profiles = await analyzeAll(subjects, client);
    say(`${profiles.size} profiles`);
    const truth = openTruth();
    const labels = new Map([...depositLabels, ...publicLabels].map((label) => [subjectKey(label), label]));
    return gradeProfiles(profiles, truth, readReference(blocks, truth, labels));
  });
};

export const evaluation: Bench = { name: 'analyze', run };
