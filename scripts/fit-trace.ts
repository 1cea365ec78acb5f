/**
 * `npx node scripts/fit-trace.ts --seeds A..B --people N[,N…]`: fits what evidence is worth on the generated worlds of those
 * seeds, each in every size, and writes services/investigate/trace/ranking/calibration.json. Evaluate on other seeds.
 */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { DecodedBlock } from '../services/investigate/model/block.ts';
import {
  CALIBRATION,
  type Calibration,
  weightKey,
} from '../services/investigate/trace/ranking/combine-evidence.ts';
import { WINDOW_MAX_SECONDS } from '../services/investigate/trace/rules.ts';
import { type Candidate, EVIDENCE_FAMILIES, GRADES } from '../services/investigate/trace/trace-answer.ts';
import { say } from './bench/bench-store.ts';
import { fitConfidence, type Sample } from './evaluate/fit-confidence.ts';
import { parseSeeds } from './evaluate/parse-seeds.ts';
import {
  type Answered,
  answerQuestion,
  readOwners,
  readQuestions,
  readWorld,
} from './evaluate/traced-world.ts';
import { parsePeople, type TabledWorld, withWorldTables } from './evaluate/world-tables.ts';

const FILE = new URL('../services/investigate/trace/ranking/calibration.json', import.meta.url);

/** The specification's windows: each kind's default, and the widest. */
const WINDOWS = [null, WINDOW_MAX_SECONDS];

/** Every kind of evidence is listed, including those without a weight before. */
const ALL_COUNT: Calibration = {
  ...CALIBRATION,
  weights: Object.fromEntries(
    EVIDENCE_FAMILIES.flatMap((family) => GRADES.map((grade) => [weightKey({ family, grade }), 1])),
  ),
};

const sampleWorld = async (world: TabledWorld): Promise<Sample[]> => {
  const blocks: DecodedBlock[] = [];
  return withWorldTables({ ...world, onBlock: (block) => blocks.push(block) }, async (tables) => {
    const readers = await readWorld(blocks, tables);
    const truth = tables.openTruth();
    const owner = readOwners(truth);
    const counts = new Map<string, Sample>();
    for (const direction of ['out', 'in'] as const)
      for (const question of readQuestions(truth, direction))
        for (const windowSeconds of WINDOWS) {
          const answered = await answerQuestion(question, readers, { windowSeconds, calibration: ALL_COUNT });
          if (answered !== null) for (const sample of toSamples(answered, world, owner)) add(counts, sample);
        }
    return [...counts.values()];
  });
};

const toSamples = (
  { question: { anchor }, answer }: Answered,
  { seed, people }: TabledWorld,
  owner: (chain: string, address: string) => string | null,
): Sample[] => {
  const traced = owner(anchor.chain, anchor.wallet);
  return answer.candidates.map((candidate) => {
    const found = owner(anchor.chain, candidate.wallet);
    return {
      mode: candidate.mode,
      anonymitySet: candidate.crowd,
      keys: countedKeys(candidate),
      // There are millions without evidence, so they are counted together.
      pair: candidate.evidence.length === 0 ? '' : `${seed} ${people} ${traced} ${found ?? candidate.wallet}`,
      isOwner: found === traced,
      count: 1,
    };
  });
};

/** Of each family the strong one, if there are both. */
const countedKeys = ({ evidence }: Candidate): string[] => {
  const byFamily = new Map<string, string>();
  for (const one of evidence)
    if (one.grade === 'strong' || !byFamily.has(one.family)) byFamily.set(one.family, weightKey(one));
  return [...byFamily.values()].sort();
};

const add = (counts: Map<string, Sample>, sample: Sample): void => {
  const { mode, anonymitySet, keys, pair, isOwner } = sample;
  const key = `${mode} ${anonymitySet} ${keys.join()} ${pair} ${isOwner}`;
  counts.set(key, { ...sample, count: (counts.get(key)?.count ?? 0) + 1 });
};

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '101..108' },
    // A window holds more in a larger world: in one size alone, the window's length and the number of matches
    // could not be told apart.
    people: { type: 'string', default: '100,300' },
  },
});
/** The commit that ran; uncommitted changes show as `-dirty`. */
const commit = execFileSync('git', ['describe', '--always', '--dirty', '--abbrev=12'], {
  cwd: import.meta.dirname,
  encoding: 'utf8',
}).trim();
const worlds = parseSeeds(values.seeds).flatMap((seed) =>
  values.people.split(',').map((people): TabledWorld => ({ seed, ...parsePeople(people) })),
);
const samples: Sample[] = [];
for (const world of worlds) {
  samples.push(...(await sampleWorld(world)));
  say(`world ${world.seed} of ${world.people}: ${samples.length} kinds of candidates so far`);
}
const candidates = samples.reduce((sum, { count }) => sum + count, 0);
const options = `--seeds ${values.seeds} --people ${values.people}`;
const calibration = {
  version: `${new Date().toISOString().slice(0, 10)} ${options.replaceAll('--', '')}`,
  run: { command: `node scripts/fit-trace.ts ${options}`, commit, candidates },
  ...fitConfidence(samples),
};
writeFileSync(FILE, `${JSON.stringify(calibration, null, 2)}\n`);
process.stdout.write(`${JSON.stringify(calibration)}\n`);
