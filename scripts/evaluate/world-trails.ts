import type { TruthLine } from '../../services/demo-world/truth.ts';
import { follow } from '../../services/investigate/follow/follow.ts';
import { HOPS_DEFAULT } from '../../services/investigate/follow/rules.ts';
import type { Trail } from '../../services/investigate/follow/trail.ts';
import type { Address } from '../../services/investigate/model/address.ts';
import { type Asset, toCanonicalAsset } from '../../services/investigate/model/asset.ts';
import { NO_BACKFILLS } from '../../services/investigate/model/backfills.ts';
import { findChain } from '../../services/investigate/model/chain.ts';
import { ReadFailedError, type TransferReader } from '../../services/investigate/model/transfer-reader.ts';
import { systemClock } from '../../services/platform/clock.ts';
import type { WarehouseClient } from '../../services/platform/warehouse-engine/warehouse.ts';
import { pagesOf, withDepartures } from '../../services/testing/flow-pages.ts';
import { createAssetReader } from '../../services/warehouse/read/assets/assets.ts';
import { createPriceReader } from '../../services/warehouse/read/assets/price.ts';
import { createTransferReader } from '../../services/warehouse/read/create-transfer-reader.ts';
import { type Figure, toFigure } from '../bench/figure.ts';

type TrailTruth = Extract<TruthLine, { type: 'trail' }>;

/**
 * Kinds of questions about a theft. `told`: where the money went, with the victim's knowledge. `default_asset`:
 * the same without the asset. `backward`: where a wallet's money came from. `unread`: as told, while one wallet
 * cannot be read.
 */
const KINDS = ['told', 'default_asset', 'backward', 'unread'] as const;
type TrailQuestion = {
  readonly kind: (typeof KINDS)[number];
  readonly chain: string;
  readonly start: Address;
  readonly asset: Asset | null;
  readonly since: number | null;
  /** A wallet whose reads fail; null: none. */
  readonly unread: Address | null;
};

const isTrail = (line: TruthLine): line is TrailTruth => line.type === 'trail';

const toQuestion = ({ chain, start, asset, since }: TrailTruth): TrailQuestion => ({
  ...{ kind: 'told', chain, start, asset, since, unread: null },
});

/** Each kind of question where it applies. */
const toQuestions = (line: TrailTruth): TrailQuestion[] => {
  const told = toQuestion(line);
  const [next, ...later] = line.hops;
  const goesOn = next !== undefined && later.length > 0;
  return [
    told,
    ...(line.hops.length > 0 ? [{ ...told, kind: 'default_asset' as const, asset: null }] : []),
    ...(line.end.reason === 'at_rest'
      ? [{ ...told, kind: 'backward' as const, start: line.end.address, since: null }]
      : []),
    ...(goesOn ? [{ ...told, kind: 'unread' as const, unread: next }] : []),
  ];
};

export const readTrailQuestions = (truth: readonly TruthLine[]): TrailQuestion[] =>
  truth.filter(isTrail).flatMap(toQuestions);

const keyOf = (question: TrailQuestion): string => JSON.stringify(question);

/** Follows each over the tables, one after the other. */
export const followAll = async (
  questions: readonly TrailQuestion[],
  client: WarehouseClient,
): Promise<ReadonlyMap<string, Trail>> => {
  const signal = new AbortController().signal;
  const reader = createTransferReader(client);
  const others = {
    ...{ prices: createPriceReader(client), assets: createAssetReader(client) },
    ...{ backfills: NO_BACKFILLS, clock: systemClock, signal },
  };
  const trails = new Map<string, Trail>();
  for (const question of questions) {
    const chain = findChain(question.chain);
    if (chain === null) throw new Error(`chain ${question.chain} is not known`);
    const asked = {
      ...{
        chain,
        start: question.start,
        canonicalAsset: question.asset && toCanonicalAsset(chain, question.asset),
      },
      ...{ atUnixSeconds: question.since, amount: null, tracedRaw: null, counterparty: null },
      ...{ backward: question.kind === 'backward', maxHops: HOPS_DEFAULT },
    };
    const readable = failingAt(reader, question.unread);
    trails.set(keyOf(question), await follow(asked, { reader: readable, ...others }));
  }
  return trails;
};

const failingAt = (reader: TransferReader, unread: Address | null): TransferReader =>
  withDepartures(reader, async (request) => {
    if (request.wallet === unread) throw new ReadFailedError('unavailable');
    const { rows, next } = await pagesOf(reader)(request);
    // Without read-ahead, which might read it after all.
    return { rows, next };
  });

/**
 * The share of trails that ended where the theft did, and for the true reason: in all and by reason; and the share
 * of right answers to the other kinds.
 */
export const gradeTrails = (trails: ReadonlyMap<string, Trail>, truth: readonly TruthLine[]): Figure[] => {
  const graded = truth.filter(isTrail).flatMap((line) =>
    toQuestions(line).map((question) => ({
      ...{ kind: question.kind, reason: line.end.reason },
      isRight: isRight(trails.get(keyOf(question)), question, line),
    })),
  );
  const figure = (name: string, of: typeof graded, goal: { atLeast?: number }): Figure =>
    toFigure({ name: `world.${name}`, unit: `of ${of.length} trails`, ...goal }, [
      of.filter(({ isRight }) => isRight).length / of.length,
    ]);
  const byKind = Map.groupBy(graded, ({ kind }) => kind);
  const told = byKind.get('told') ?? [];
  byKind.delete('told');
  const byReason = Map.groupBy(told, ({ reason }) => reason);
  return [
    figure('follow_end_right', told, { atLeast: 0.97 }),
    ...[...byReason].sort().map(([reason, of]) => figure(`follow_end_right.${reason}`, of, {})),
    ...[...byKind].sort().map(([kind, of]) => figure(`follow_right.${kind}`, of, { atLeast: 0.97 })),
  ];
};

const isRight = (trail: Trail | undefined, { kind, unread }: TrailQuestion, line: TrailTruth): boolean => {
  if (trail === undefined) return false;
  const { reason, address } = trail.end;
  switch (kind) {
    case 'told':
      return reason === line.end.reason && [line.end.address, ...line.end.accept].includes(address);
    case 'default_asset':
      return trail.asset.canonicalAsset === toCanonicalAsset(trail.chain, line.asset);
    case 'backward':
      return trail.hops.some(({ to }) => to === line.start);
    case 'unread':
      return reason === 'no_data' && address === unread;
  }
};
