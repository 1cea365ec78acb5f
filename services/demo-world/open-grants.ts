import { NATIVE } from '../investigate/model/movement.ts';
import type { TruthLine } from './truth.ts';
import type { Asset, Family } from './writer.ts';

export type OpenGrant = Extract<TruthLine, { type: 'drainer' }>['open'][number];

/** What holders let hands do, and have not taken back: the truth that `revocable` is graded by. */
export type OpenGrants = {
  /** Replaces what was allowed before; 0 takes it back. */
  readonly allow: (holder: string, hand: string, asset: Asset, raw: bigint) => void;
  /** What the hand took of it. */
  readonly spend: (holder: string, hand: string, asset: Asset, raw: bigint) => void;
  /** An account, or the wallet itself where the asset is the coin; nobody takes it back. */
  readonly handOver: (holder: string, hand: string, asset: Asset) => void;
  readonly left: (holder: string, hand: string, asset: Asset) => bigint;
  readonly list: () => OpenGrant[];
};

/** What an allowance of a wallet's software says when it asks for everything. */
export const UNLIMITED_RAW = 2n ** 256n - 1n;

export const createOpenGrants = (family: Family): OpenGrants => {
  const allowances = new Map<string, OpenGrant & { leftRaw: bigint }>();
  const handedOver = new Map<string, OpenGrant>();
  const keyOf = (holder: string, hand: string, asset: Asset): string => `${holder} ${hand} ${asset}`;
  const kind = family === 'evm' ? 'allowance' : 'delegate';
  return {
    allow: (holder, hand, asset, leftRaw) => {
      const key = keyOf(holder, hand, asset);
      if (leftRaw === 0n) allowances.delete(key);
      else allowances.set(key, { kind, holder, hand, asset, leftRaw });
    },
    spend: (holder, hand, asset, raw) => {
      const key = keyOf(holder, hand, asset);
      const grant = allowances.get(key);
      if (grant === undefined || grant.leftRaw === UNLIMITED_RAW) return;
      grant.leftRaw -= raw;
      if (grant.leftRaw <= 0n) allowances.delete(key);
    },
    handOver: (holder, hand, asset) => {
      const grant = { kind: 'authority', holder, hand, asset: asset === NATIVE ? null : asset } as const;
      handedOver.set(keyOf(holder, hand, asset), grant);
    },
    left: (holder, hand, asset) => allowances.get(keyOf(holder, hand, asset))?.leftRaw ?? 0n,
    list: () => [
      ...[...allowances.values()].map(({ leftRaw: _, ...grant }) => grant),
      ...handedOver.values(),
    ],
  };
};
