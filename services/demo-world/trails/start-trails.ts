import { NATIVE } from '../../investigate/model/movement.ts';
import type { Random } from '../random.ts';
import type { Asset } from '../writer.ts';
import { closeTrail, MAX_HOPS_DEFAULT } from './end-trail.ts';
import {
  lastWallet,
  newWallet,
  TRAIL_REASONS,
  type Trail,
  type TrailOptions,
  type TrailReason,
  type TrailStart,
} from './trail.ts';
import { type Cover, createCover } from './trail-cover.ts';
import { prepareWallets, steal } from './walk-trail.ts';

const DAY = 86_400;
const HOUR = 3_600;

type TrailPlan = {
  readonly label: string;
  readonly reason: TrailReason;
  readonly length: number;
  readonly asset: Asset;
  readonly early: boolean;
};

const openTrail = (options: TrailOptions, cover: Cover, plan: TrailPlan): TrailStart => {
  const { stage, society } = options;
  const { chain } = society.side;
  const random = stage.random.fork(`trail ${chain} ${plan.label}`);
  const life = stage.days * DAY;
  const begin = plan.early ? 0.03 * life : life * (0.05 + 0.35 * random.unit());
  const left = plan.early ? 0.3 * life : life - begin;
  const trail: Trail = {
    options,
    random,
    thief: `${chain}-thief-${plan.label}`,
    reason: plan.reason,
    asset: plan.asset,
    length: plan.length,
    delaySeconds: Math.min(5 * HOUR, left / (plan.length + 2) / 2.2),
    wallets: [],
    prepared: [],
    operators: new Map(),
    cover,
    lootUsd: random.logNormal(70_000, 0.9),
    isExample: plan.early,
    since: Math.floor(stage.startUnixSeconds + begin),
  };
  trail.wallets.push(newWallet(trail));
  if (plan.reason === 'no_data') closeTrail(trail, { address: lastWallet(trail) });
  else {
    prepareWallets(trail);
    steal(trail, trail.lootUsd);
  }
  return { chain, start: lastWallet(trail), since: trail.since, reason: plan.reason, hops: plan.length };
};

const lengthOf = (random: Random, reason: TrailReason): number => {
  if (reason === 'max_hops') return MAX_HOPS_DEFAULT + random.between(2, 5);
  if (reason === 'no_data') return 0;
  return random.between(reason === 'loop' ? 2 : 1, 7);
};

/** Thefts with known ends. The first ones of each chain begin early, as examples. */
export const startTrails = (options: TrailOptions): TrailStart[] => {
  const { stage, society, each } = options;
  const random = stage.random.fork(`trails ${society.side.chain}`);
  const cover = createCover(stage, society, random.fork('cover'));
  const starts: TrailStart[] = (['at_rest', 'loop', 'split'] as const).map((reason, at) =>
    openTrail(options, cover, {
      label: `example-${at + 1}`,
      reason,
      length: 5 - at,
      asset: NATIVE,
      early: true,
    }),
  );
  for (const reason of TRAIL_REASONS) {
    for (let at = 0; at < each; at++) {
      const asset = reason === 'mixer' || random.chance(0.6) ? NATIVE : society.side.usdc.asset;
      const length = lengthOf(random, reason);
      starts.push(
        openTrail(options, cover, { label: `${reason}-${at + 1}`, reason, length, asset, early: false }),
      );
    }
  }
  return starts;
};
