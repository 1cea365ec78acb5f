import { SERVICE_KINDS, type Service } from '../../labels/rules/choose-service.ts';
import { chainsOfKey } from '../../labels/rules/inherit-labels.ts';
import { askRows } from '../../platform/warehouse-engine/ask-rows.ts';
import { insertRows } from '../../platform/warehouse-engine/insert-rows.ts';
import type { WarehouseClient } from '../../platform/warehouse-engine/warehouse.ts';
import { type Said, serviceOf } from './held-services.ts';

/** An address with new label events, and the newest of them. */
export type TouchedAddress = {
  readonly chain: string;
  readonly address: string;
  readonly sequence: number;
};

/**
 * The engine's time for a list grows faster than the list: 40,000 addresses took over half a minute, half as
 * many a second.
 */
const ADDRESSES_MAX = 10_000;

const LABELS = `
SELECT address, chain, kind, name, entity, confidence, asserted_at
FROM labels FINAL
WHERE chain IN {chains:Array(String)} AND address IN {addresses:Array(String)} AND kind IN {kinds:Array(String)}`;

// Also finds such an address on another of the chains, which is left out below: one statement for all chains.
const WALLETS = `
SELECT chain, address, entity, kind FROM service_wallets FINAL
WHERE chain IN {chains:Array(String)} AND address IN {addresses:Array(String)}`;

type WalletRow = readonly [chain: string, address: string, entity: string, kind: Service['kind']];

/**
 * Assigns the addresses to the services that their labels name now, or to none, and returns how many changed.
 * Compares tables with tables, so it can be repeated. `copyServiceEntries` copies the entries of what
 * changed.
 */
export const updateServiceWallets = async (
  client: WarehouseClient,
  labelled: readonly TouchedAddress[],
): Promise<number> => {
  const touched = onEveryChain(labelled);
  let changed = 0;
  for (let from = 0; from < touched.length; from += ADDRESSES_MAX) {
    const some = touched.slice(from, from + ADDRESSES_MAX);
    const params = {
      chains: [...new Set(some.flatMap((t) => chainsOfKey(t.chain)))],
      addresses: [...new Set(some.map((t) => t.address))],
      kinds: SERVICE_KINDS,
    };
    const said = await askRows<Said>(client, LABELS, params);
    const labels = Map.groupBy(said, ([address]) => address);
    const wallets = byAddress(await askRows<WalletRow>(client, WALLETS, params));
    const changes = some.flatMap((t) => {
      const key = keyOf(t.chain, t.address);
      return changesOf(t, serviceOf(t.chain, labels.get(t.address) ?? []), wallets.get(key) ?? []);
    });
    await insertRows(client, 'service_wallets', changes);
    changed += changes.length;
  }
  return changed;
};

/** A label may hold on every chain of the key, each with its newest event. */
const onEveryChain = (labelled: readonly TouchedAddress[]): readonly TouchedAddress[] => {
  const touched = new Map<string, TouchedAddress>();
  for (const { address, sequence, chain: said } of labelled)
    for (const chain of chainsOfKey(said)) {
      const key = keyOf(chain, address);
      if ((touched.get(key)?.sequence ?? -1) < sequence) touched.set(key, { chain, address, sequence });
    }
  return [...touched.values()];
};

const keyOf = (chain: string, address: string): string => `${chain} ${address}`;

const byAddress = <Row extends readonly [chain: string, address: string, ...unknown[]]>(
  rows: readonly Row[],
): ReadonlyMap<string, Row[]> => Map.groupBy(rows, ([chain, address]) => keyOf(chain, address));

const changesOf = (
  { chain, address, sequence }: TouchedAddress,
  service: Service | null,
  now: readonly WalletRow[],
) => {
  const row = { chain, address, copied: 0, sequence };
  const left = now.filter(([, , entity]) => entity !== service?.entity);
  const [, , , kept] = now.find(([, , entity]) => entity === service?.entity) ?? [];
  return [
    ...left.map(([, , entity, kind]) => ({ ...row, entity, kind, removed: 1 })),
    ...(service && kept !== service.kind ? [{ ...row, ...service, removed: 0 }] : []),
  ];
};
