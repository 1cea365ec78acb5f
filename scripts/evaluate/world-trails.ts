import { follow } from '../../services/investigate/follow/follow.ts';
import { NO_HISTORIES } from '../../services/investigate/follow/know-wallet.ts';
import { HOPS_DEFAULT } from '../../services/investigate/follow/rules.ts';
import type { Trail } from '../../services/investigate/follow/trail.ts';
import { assetFamily } from '../../services/investigate/model/asset.ts';
import { findChain } from '../../services/investigate/model/chain.ts';
import { systemClock } from '../../services/platform/clock.ts';
import type { WarehouseClient } from '../../services/platform/warehouse-engine/warehouse.ts';
import type { TruthLine } from '../../services/testing/world/truth.ts';
import { createAssetReader } from '../../services/warehouse/read/assets.ts';
import { createTransferReader } from '../../services/warehouse/read/create-transfer-reader.ts';
import { createPriceReader } from '../../services/warehouse/read/price.ts';
import { type Figure, toFigure } from '../bench/figure.ts';

type TrailTruth = Extract<TruthLine, { type: 'trail' }>;
/** Where a theft began: what its victim knows. */
type TrailQuestion = Pick<TrailTruth, 'chain' | 'start' | 'asset' | 'since'>;

const isTrail = (line: TruthLine): line is TrailTruth => line.type === 'trail';

export const readTrailQuestions = (truth: readonly TruthLine[]): TrailQuestion[] =>
  truth.filter(isTrail).map(({ chain, start, asset, since }) => ({ chain, start, asset, since }));

const keyOf = ({ chain, start, asset, since }: TrailQuestion): string =>
  `${chain} ${start} ${asset} ${since}`;

/** Follows each over the tables, one after the other. */
export const followAll = async (
  questions: readonly TrailQuestion[],
  client: WarehouseClient,
): Promise<ReadonlyMap<string, Trail>> => {
  const signal = new AbortController().signal;
  const dependencies = {
    ...{ reader: createTransferReader(client), prices: createPriceReader(client) },
    assets: createAssetReader(client),
    ...{ histories: NO_HISTORIES, clock: systemClock, signal },
  };
  const trails = new Map<string, Trail>();
  for (const question of questions) {
    const chain = findChain(question.chain);
    if (chain === null) throw new Error(`chain ${question.chain} is not known`);
    const asked = {
      ...{ chain, start: question.start, family: assetFamily(chain, question.asset) },
      ...{ atUnixSeconds: question.since, amount: null, counterparty: null },
      ...{ backward: false, maxHops: HOPS_DEFAULT },
    };
    trails.set(keyOf(question), await follow(asked, dependencies));
  }
  return trails;
};

/** The share of trails that ended where the theft did, and for the true reason: of all, and of each reason. */
export const gradeTrails = (trails: ReadonlyMap<string, Trail>, truth: readonly TruthLine[]): Figure[] => {
  const graded = truth.filter(isTrail).map((line) => ({
    reason: line.end.reason,
    isRight: endsRight(trails.get(keyOf(line)), line),
  }));
  const figure = (name: string, of: typeof graded, goal: { atLeast?: number }): Figure =>
    toFigure({ name: `world.${name}`, unit: `of ${of.length} trails`, ...goal }, [
      of.filter(({ isRight }) => isRight).length / of.length,
    ]);
  const byReason = Map.groupBy(graded, ({ reason }) => reason);
  return [
    figure('follow_end_right', graded, { atLeast: 0.97 }),
    ...[...byReason].sort().map(([reason, of]) => figure(`follow_end_right.${reason}`, of, {})),
  ];
};

const endsRight = (trail: Trail | undefined, { end }: TrailTruth): boolean =>
  trail !== undefined &&
  trail.end.reason === end.reason &&
  [end.address, ...end.accept].includes(trail.end.address);
