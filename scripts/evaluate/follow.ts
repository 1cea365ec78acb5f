import { parseArgs } from 'node:util';
import type { Address } from '../../services/investigate/model/address.ts';
import { createMemoryReader } from '../../services/testing/memory-reader.ts';
import { say } from '../bench/bench-store.ts';
import { type Bench, type Figure, toFigure } from '../bench/figure.ts';
import { wholeNumber } from '../bench/number-options.ts';
import { UsageError } from '../bench/run-chosen.ts';
import type { CaseTransfer } from './case-transfer.ts';
import { DECOY_STYLES, type DecoyStyle, drawStrangers } from './draw-decoys.ts';
import { evaluateGraph, type Goals } from './evaluate-graph.ts';
import { expandTrails, type Found } from './expand-trails.ts';
import { type FollowCase, readFollowCase, readTerminals, toBlocks } from './follow-case.ts';
import { reachableInTime } from './reachable-in-time.ts';
import { worldFlows } from './world-flows.ts';
import { parsePeople, parseSeed } from './world-tables.ts';

const DECOYS = 10;
const SEED = 1;
/** Thefts do not depend on the number of people, and small worlds are fast. */
const PEOPLE = 30;
/** Calls that an investigator would pay for: twice the case's transfers. */
const CALLS_PER_EDGE = 2;

const run = async (argv: readonly string[]): Promise<Figure[]> => {
  const { folder, world, people, decoys, style, seed } = parseOptions(argv);
  const drawing = { decoys, style, seed };
  if (folder === null) return evaluateGraph(worldFlows({ seed: world, people }, drawing), goalsAt(decoys));
  const stolen = await readFollowCase(folder);
  describeRefused(stolen);
  const strangers = drawStrangers(stolen, drawing);
  say(`${stolen.transfers.length} transfers of the case, ${strangers.length} of strangers`);
  const reader = createMemoryReader(toBlocks(stolen.chain, [...stolen.transfers, ...strangers]));
  const callsMax = CALLS_PER_EDGE * stolen.transfers.length;
  const found = await expandTrails(stolen, { reader, callsMax });
  const terminals = readTerminals(folder, stolen.chain);
  return [...grade(found, stolen, terminals), ...(await evaluateGraph([{ stolen, strangers, terminals }]))];
};

/** For worlds whose thefts split and join. */
const goalsAt = (decoys: number): Goals => {
  if (decoys === 0) return { ends: 0.95, precision: 0.9 };
  return decoys <= 4 ? { ends: 0.9, precision: 0.8 } : { ends: 0.8, precision: 0.75 };
};

const REFUSED_TOLD = 20;

const describeRefused = ({ refused }: FollowCase): void => {
  for (const { message } of refused.slice(0, REFUSED_TOLD)) say(`left out: ${message}`);
  if (refused.length > 0) say(`${refused.length} rows left out`);
};

const parseOptions = (argv: readonly string[]) => {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      ...{ case: { type: 'string' }, decoys: { type: 'string' }, seed: { type: 'string' } },
      ...{ 'decoy-style': { type: 'string' }, world: { type: 'string' }, people: { type: 'string' } },
    },
  });
  if ((values.case === undefined) === (values.world === undefined))
    throw new UsageError('evaluate follow needs --case DIR or --world SEED');
  const decoys = wholeNumber('decoys', values.decoys ?? String(DECOYS), 0);
  const seed = wholeNumber('seed', values.seed ?? String(SEED), 0);
  const told = values['decoy-style'] ?? 'single';
  const style = DECOY_STYLES.find((each): each is DecoyStyle => each === told);
  if (style === undefined) throw new UsageError(`--decoy-style is one of ${DECOY_STYLES.join(', ')}`);
  const world = values.world === undefined ? 0 : parseSeed(values.world);
  const people = parsePeople(values.people).people ?? PEOPLE;
  return { folder: values.case ?? null, world, people, decoys, style, seed };
};

/** 0 of nothing. */
const part = (some: number, all: number): number => (all === 0 ? 0 : some / all);

const pairOf = ({ from, to }: { readonly from: Address; readonly to: Address }): string => `${from} ${to}`;
const sum = (transfers: readonly CaseTransfer[]): number =>
  Number(transfers.reduce((total, { amountRaw }) => total + amountRaw, 0n));

/** Compares answers with the case: terminals reached, and how much of what was named belongs to the case. */
const grade = ({ leads, calls }: Found, stolen: FollowCase, terminals: readonly Address[]): Figure[] => {
  const { transfers } = stolen;
  const truth = new Set(transfers.map(pairOf));
  const named = new Set(leads.map(pairOf));
  const right = [...named].filter((pair) => truth.has(pair));
  const arrivedIn = new Set(right.map((pair) => pair.split(' ')[1]));
  const reachable = reachableInTime(stolen);
  const ends = terminals.filter((terminal) => reachable.has(terminal));
  const reached = ends.filter((terminal) => arrivedIn.has(terminal));
  const intoEnds = transfers.filter(({ to }) => ends.includes(to));
  const followed = intoEnds.filter((transfer) => named.has(pairOf(transfer)));
  const figure = (
    name: string,
    unit: string,
    value: number,
    goal: { atLeast?: number; atMost?: number } = {},
  ) => toFigure({ name: `follow.${name}`, unit, ...goal }, [value]);
  return [
    figure('terminals_reached', 'terminals', reached.length),
    figure('terminals_reachable', 'terminals', ends.length),
    figure(
      'share',
      'terminals reached of those reachable in the order of time',
      part(reached.length, ends.length),
      { atLeast: 0.9 },
    ),
    figure('precision', 'pairs of wallets named that are of the case', part(right.length, named.size), {
      atLeast: 0.8,
    }),
    figure('value_followed_share', 'of the dollars into terminals', part(sum(followed), sum(intoEnds))),
    figure('calls', 'calls', calls, { atMost: CALLS_PER_EDGE * transfers.length }),
    figure('case_edges', 'transfers', transfers.length),
    figure('rows_refused', 'rows of the file', stolen.refused.length),
  ];
};

export const evaluation: Bench = { name: 'follow', run };
