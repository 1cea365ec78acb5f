import { SERVICE_KINDS, type Service } from '../../labels/rules/choose-service.ts';
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

// Also finds such an address on another of the chains, which is left out below: one statement for all chains.
const LABELS = `
SELECT chain, address, kind, entity, confidence, asserted_at
FROM labels FINAL
WHERE chain IN {chains:Array(String)} AND address IN {addresses:Array(String)} AND kind IN {kinds:Array(String)}`;

const WALLETS = `
SELECT chain, address, entity, kind FROM service_wallets FINAL
WHERE chain IN {chains:Array(String)} AND address IN {addresses:Array(String)}`;

type LabelRow = readonly [chain: string, ...Said];
type WalletRow = readonly [chain: string, address: string, entity: string, kind: Service['kind']];

/**
 * Assigns the addresses to the services that their labels name now, or to none, and returns how many changed.
 * Compares tables with tables, so it can be repeated. `copyServiceEntries` copies the entries of what
 * changed.
 */
export const updateServiceWallets = async (
  client: WarehouseClient,
  touched: readonly TouchedAddress[],
): Promise<number> => {
  let changed = 0;
  for (let from = 0; from < touched.length; from += ADDRESSES_MAX) {
    const some = touched.slice(from, from + ADDRESSES_MAX);
    const params = {
      chains: [...new Set(some.map((t) => t.chain))],
      addresses: [...new Set(some.map((t) => t.address))],
      kinds: SERVICE_KINDS,
    };
    const labels = byAddress(await askRows<LabelRow>(client, LABELS, params));
    const wallets = byAddress(await askRows<WalletRow>(client, WALLETS, params));
    const changes = some.flatMap((t) => {
      const key = keyOf(t.chain, t.address);
      const said = (labels.get(key) ?? []).map(([, ...rest]) => rest);
      return changesOf(t, serviceOf(said), wallets.get(key) ?? []);
    });
    await insertRows(client, 'service_wallets', changes);
    changed += changes.length;
  }
  return changed;
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
