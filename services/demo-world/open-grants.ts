import { NATIVE } from '../investigate/model/movement.ts';
import type { TruthLine } from './truth.ts';
import type { Asset, Family } from './writer.ts';

export type OpenGrant = Extract<TruthLine, { type: 'drainer' }>['open'][number];

/** Permissions that holders have not revoked: the truth for grading `revocable`. */
export type OpenGrants = {
  /** Replaces the earlier permission; 0 revokes it. */
  readonly allow: (holder: string, hand: string, asset: Asset, raw: bigint) => void;
  /** What the hand took of it. */
  readonly spend: (holder: string, hand: string, asset: Asset, raw: bigint) => void;
  /** An account, or the wallet itself if the asset is the coin; it cannot be revoked. */
  readonly handOver: (holder: string, hand: string, asset: Asset) => void;
  readonly left: (holder: string, hand: string, asset: Asset) => bigint;
  readonly list: () => OpenGrant[];
};

const EVM_UNLIMITED_RAW = 2n ** 256n - 1n;

/** The amount of an unlimited allowance: the largest that the chain's instructions can hold. */
export const unlimitedRaw = (family: Family): bigint =>
  family === 'evm' ? EVM_UNLIMITED_RAW : 2n ** 64n - 1n;

export const createOpenGrants = (family: Family): OpenGrants => {
  const allowances = new Map<string, OpenGrant & { remainingRaw: bigint }>();
  const handedOver = new Map<string, OpenGrant>();
  const keyOf = (holder: string, hand: string, asset: Asset): string => `${holder} ${hand} ${asset}`;
  const kind = family === 'evm' ? 'allowance' : 'delegate';
  return {
    allow: (holder, hand, asset, remainingRaw) => {
      const key = keyOf(holder, hand, asset);
      if (remainingRaw === 0n) allowances.delete(key);
      else allowances.set(key, { kind, holder, hand, asset, remainingRaw });
    },
    spend: (holder, hand, asset, raw) => {
      const key = keyOf(holder, hand, asset);
      const grant = allowances.get(key);
      // The largest allowance of an EVM token never shrinks; a delegate's always does.
      if (grant === undefined || grant.remainingRaw === EVM_UNLIMITED_RAW) return;
      grant.remainingRaw -= raw;
      if (grant.remainingRaw <= 0n) allowances.delete(key);
    },
    handOver: (holder, hand, asset) => {
      const grant = { kind: 'authority', holder, hand, asset: asset === NATIVE ? null : asset } as const;
      handedOver.set(keyOf(holder, hand, asset), grant);
    },
    left: (holder, hand, asset) => allowances.get(keyOf(holder, hand, asset))?.remainingRaw ?? 0n,
    list: () => [
      ...[...allowances.values()].map(({ remainingRaw: _, ...grant }) => grant),
      ...handedOver.values(),
    ],
  };
};
