import { parseArgs } from 'node:util';
import type { DecodedBlock } from '../../services/investigate/model/block.ts';
import { say } from '../bench/bench-store.ts';
import type { Bench, Figure } from '../bench/figure.ts';
import { readQuestions, readWorld } from './traced-world.ts';
import { parsePeople, parseSeed, withWorldTables } from './world-tables.ts';
import { answerAll, gradeDirection } from './world-traces.ts';
import { followAll, gradeTrails, readTrailQuestions } from './world-trails.ts';

/** Traces every service transfer with a known other side, and follows every theft, on a seed's world. */
const run = async (argv: readonly string[]): Promise<Figure[]> => {
  const { values } = parseArgs({
    args: [...argv],
    options: { seed: { type: 'string' }, people: { type: 'string' } },
  });
  const seed = parseSeed(values.seed, '--seed');
  const blocks: DecodedBlock[] = [];
  const onBlock = (block: DecodedBlock): void => void blocks.push(block);
  return withWorldTables({ seed, ...parsePeople(values.people), onBlock }, async (tables) => {
    const readers = await readWorld(blocks, tables);
    // Only one side of each pair is kept from the truth: that is the question.
    const forward = await answerAll('out', readQuestions(tables.openTruth(), 'out'), readers);
    const backward = await answerAll('in', readQuestions(tables.openTruth(), 'in'), readers);
    say(`${forward.answers.size} and ${backward.answers.size} transfers traced`);
    const trails = await followAll(readTrailQuestions(tables.openTruth()), tables.client);
    say(`${trails.size} questions about thefts followed`);
    const truth = tables.openTruth();
    return [
      ...gradeTrails(trails, truth),
      ...(await gradeDirection(forward, truth, readers)),
      ...(await gradeDirection(backward, truth, readers)),
    ];
  });
};

export const evaluation: Bench = { name: 'world', run };
