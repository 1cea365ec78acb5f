import type { Address } from './address.ts';
import { addRaw } from './amount.ts';
import type { CanonicalAsset } from './asset.ts';
import type { PlacedMovement } from './case-reader.ts';
import type { MovementKind } from './movement.ts';

/** Fees, rent and rewards are protocol bookkeeping, not transfers. */
const MONEY: ReadonlySet<MovementKind> = new Set<MovementKind>([
  ...(['transfer', 'program', 'owner_change', 'mint', 'burn', 'wrap', 'unwrap'] as const),
]);

/** The balance changes of one transaction. */
export type Flows = {
  /** The net change of each party's balance of each asset. */
  readonly nets: ReadonlyMap<Address, ReadonlyMap<CanonicalAsset, bigint>>;
  /** By `payee asset`: who paid it directly. */
  readonly payers: ReadonlyMap<string, ReadonlySet<Address>>;
  /** By `payee asset`: the gross amount received, before the payee passed anything on. */
  readonly received: ReadonlyMap<string, bigint>;
};

export const sumFlows = (rows: readonly PlacedMovement[]): Flows => {
  const nets = new Map<Address, Map<CanonicalAsset, bigint>>();
  const payers = new Map<string, Set<Address>>();
  const received = new Map<string, bigint>();
  const add = (address: Address | null, canonicalAsset: CanonicalAsset, raw: bigint): void => {
    if (address === null) return;
    const own = nets.get(address) ?? new Map<CanonicalAsset, bigint>();
    nets.set(address, own);
    addRaw(own, canonicalAsset, raw);
  };
  for (const { kind, from, to, canonicalAsset, amountRaw } of rows) {
    if (!MONEY.has(kind) || from === to || amountRaw === 0n) continue;
    add(from, canonicalAsset, -amountRaw);
    add(to, canonicalAsset, amountRaw);
    if (from === null || to === null) continue;
    const key = `${to} ${canonicalAsset}`;
    payers.set(key, (payers.get(key) ?? new Set()).add(from));
    addRaw(received, key, amountRaw);
  }
  return { nets, payers, received };
};

export const netOf = ({ nets }: Flows, address: Address, canonicalAsset: CanonicalAsset): bigint =>
  nets.get(address)?.get(canonicalAsset) ?? 0n;
