import { writeFileSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { drawTrail } from '../../cli/questions/draw-trail.ts';
import type { TruthLine } from '../../demo-world/truth.ts';
import { createSpoor, type FollowBody, type Spoor, type TraceBody } from '../../sdk/create-spoor.ts';
import { traceEnd } from '../../sdk/follow-on.ts';
import { PATIENCE } from '../../testing/patience.ts';
import type { WorldOne } from '../../testing/world-one.ts';
import { EXAMPLES, readExamples } from './describe-api.ts';
import type { Example } from './operation.ts';

/** Set to write what the service answers in place of comparing it: `npm run generate` makes the rest from it. */
const WRITES = process.env.SPOOR_WRITE_EXAMPLES === '1';

type Lines<T extends TruthLine['type']> = readonly Extract<TruthLine, { type: T }>[];

/** What there is to ask about in world 1. */
const chooseSubjects = (truth: readonly TruthLine[]) => {
  const of = <T extends TruthLine['type']>(type: T) =>
    truth.filter((line): line is Lines<T>[number] => line.type === type);
  return { trails: of('trail'), launches: of('launch'), drainers: of('drainer') };
};

/** Of the thefts that end at an exchange or a mixer the first behind which somebody may be named, else the first. */
const investigate = async (spoor: Spoor, thefts: Lines<'trail'>) => {
  const found: { follow: FollowBody; trace: TraceBody; who: string; isNamed: boolean }[] = [];
  for (const { start, chain, since } of thefts) {
    const follow = { address: start, chain, since } as FollowBody;
    const trail = await spoor.follow(follow);
    const { end } = trail;
    const traced = await traceEnd(spoor, trail);
    if (traced === null) continue;
    const trace = end.next?.body as TraceBody;
    const [best] = traced.candidates;
    found.push({ follow, trace, who: best?.address ?? end.address, isNamed: best !== undefined });
    if (best !== undefined) break;
  }
  const chosen = found.find(({ isNamed }) => isNamed) ?? found[0];
  if (!chosen) throw new Error('world 1 has no theft that can be traced on');
  return chosen;
};

/** A worked investigation, from a theft through an exchange to who that is; then a token and a thief. */
const chooseQuestions = async (
  spoor: Spoor,
  { trails, launches, drainers }: ReturnType<typeof chooseSubjects>,
) => {
  const { follow, trace, who } = await investigate(
    spoor,
    ['exchange', 'mixer'].flatMap((reason) => trails.filter(({ end }) => end.reason === reason)),
  );
  const launch = launches.find(({ insiders }) => insiders.length > 1);
  const [drainer] = drainers;
  if (!launch || !drainer) throw new Error('world 1 has none of the cases that the guide tells');
  return {
    follow,
    graph: { ...follow, graph: true },
    trace,
    analyze: { address: who, chain: follow.chain },
    insiders: { token: launch.token, chain: launch.chain },
    victims: { address: drainer.address, chain: drainer.chain },
    tx: { hash: trace.signature, chain: follow.chain },
  };
};

const askAll = async (spoor: Spoor, questions: object): Promise<Record<string, Example>> => {
  const answers: Record<string, Example> = {};
  for (const [name, request] of Object.entries(questions)) {
    const ask = spoor[(name === 'graph' ? 'followGraph' : name) as 'follow'];
    const answer = await ask(request as FollowBody);
    const drawn = name === 'follow' && stripVTControlCharacters(drawTrail(answer));
    answers[name] = { request, answer, ...(drawn && { drawn }) };
  }
  return answers;
};

export const testExamples = (world: () => WorldOne, readTruth: () => readonly TruthLine[]): void => {
  test('the examples are what a service over world 1 answers, from a theft through an exchange to a name', async () => {
    const spoor = createSpoor({ url: world().url });
    const questions = await chooseQuestions(spoor, chooseSubjects(readTruth()));
    const ask = async () => shorten(await askAll(spoor, questions));
    if (WRITES) writeFileSync(EXAMPLES, `${JSON.stringify(await ask(), null, 2)}\n`);
    // On a busy machine an analysis may be over before it has read all.
    await expect.poll(ask, PATIENCE).toEqual(readExamples());
  });
};

/** Long lists say nothing more in an example. */
const ENTRIES_SHOWN = 2;

/** Labels that are derived, or read in at the start, bear the time of that. */
const WORLD_BEGIN = 1_756_684_800;

const shorten = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.slice(0, ENTRIES_SHOWN).map(shorten);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      name === 'updated_at' ? WORLD_BEGIN : shorten(member),
    ]),
  );
};
