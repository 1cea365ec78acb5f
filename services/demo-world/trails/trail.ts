import { NATIVE } from '../../investigate/model/movement.ts';
import { type ChainSide, type Stage, spendable } from '../chain-side.ts';
import type { Bridge } from '../create-bridge.ts';
import type { Dex } from '../dex.ts';
import type { FixedMixer } from '../mixer/fixed-mixer.ts';
import type { PopularFunder, Society } from '../persons.ts';
import type { Random } from '../random.ts';
import type { Asset } from '../writer.ts';
import type { Cover } from './trail-cover.ts';

export const TRAIL_REASONS = [
  'exchange',
  'bridge',
  'mixer',
  'dex_swap',
  'split',
  'at_rest',
  'loop',
  'max_hops',
  'no_data',
] as const;

/** Why a trail ends. */
export type TrailReason = (typeof TRAIL_REASONS)[number];

export type TrailOptions = {
  readonly stage: Stage;
  readonly society: Society;
  readonly far: ChainSide;
  readonly dex: Dex;
  readonly mixer: FixedMixer;
  readonly bridge: Bridge;
  readonly popularFunders: readonly PopularFunder[];
  /** Trails per reason. */
  readonly each: number;
};

export type TrailStart = {
  readonly chain: string;
  readonly start: string;
  readonly since: number;
  readonly reason: TrailReason;
  readonly hops: number;
};

/** A theft in progress. */
export type Trail = {
  readonly options: TrailOptions;
  readonly random: Random;
  readonly thief: string;
  readonly reason: TrailReason;
  readonly asset: Asset;
  /** Hops between the thief's wallets before the end. */
  readonly length: number;
  readonly delaySeconds: number;
  /** The start and every wallet after it. */
  readonly wallets: string[];
  /** Wallets that the thief has prepared for the next hops. */
  readonly prepared: string[];
  readonly cover: Cover;
  /** Smart accounts of the trail, and their signers. */
  readonly operators: Map<string, string>;
  readonly lootUsd: number;
  /** Simple enough for a newcomer's first call. */
  readonly isExample: boolean;
  since: number;
};

/** The current wallet. */
export const lastWallet = (trail: Trail): string => trail.wallets.at(-1) ?? '';

/** The last wallet's holding of the asset, less its fees. */
export const percentOf = (trail: Trail, percent: number): bigint => {
  const held = spendable(trail.options.society.side, lastWallet(trail), trail.asset);
  return (held * BigInt(Math.round(percent * 10))) / 1_000n;
};

export const newWallet = (trail: Trail): string =>
  ownWallet(trail, trail.options.society.side.writer.newAddress());

export const ownWallet = (trail: Trail, address: string): string => {
  trail.options.stage.truth.own(trail.thief, 'thief', trail.options.society.side.chain, address);
  return address;
};

/** A token needs gas to move, which comes from outside the trail. */
export const giveGas = (trail: Trail, wallet: string): void => {
  const { society, popularFunders } = trail.options;
  if (trail.asset === NATIVE) return;
  if (trail.random.chance(0.6)) trail.random.pick(popularFunders)(wallet);
  society.fund({ ...society.newcomer('gas'), random: trail.random }, wallet, society.side.native, 150);
};
