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

const LABELS = `
SELECT address, kind, entity, confidence, asserted_at
FROM labels FINAL
WHERE chain = {chain:String} AND address IN {addresses:Array(String)} AND kind IN {kinds:Array(String)}`;

const WALLETS = `
SELECT address, entity, kind FROM service_wallets FINAL
WHERE chain = {chain:String} AND address IN {addresses:Array(String)}`;

type WalletRow = readonly [address: string, entity: string, kind: Service['kind']];

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
  for (const [chain, ofChain] of inChunks(touched)) {
    const params = { chain, addresses: ofChain.map((t) => t.address), kinds: SERVICE_KINDS };
    const labels = Map.groupBy(await askRows<Said>(client, LABELS, params), ([address]) => address);
    const wallets = Map.groupBy(await askRows<WalletRow>(client, WALLETS, params), ([address]) => address);
    const changes = ofChain.flatMap((t) =>
      changesOf(t, serviceOf(labels.get(t.address) ?? []), wallets.get(t.address) ?? []),
    );
    await insertRows(client, 'service_wallets', changes);
    changed += changes.length;
  }
  return changed;
};

function* inChunks(
  touched: readonly TouchedAddress[],
): Generator<[chain: string, touched: TouchedAddress[]]> {
  for (const [chain, ofChain] of Map.groupBy(touched, (t) => t.chain))
    for (let from = 0; from < ofChain.length; from += ADDRESSES_MAX)
      yield [chain, ofChain.slice(from, from + ADDRESSES_MAX)];
}

const changesOf = (
  { chain, address, sequence }: TouchedAddress,
  service: Service | null,
  now: readonly WalletRow[],
) => {
  const row = { chain, address, copied: 0, sequence };
  const left = now.filter(([, entity]) => entity !== service?.entity);
  const kept = now.find(([, entity]) => entity === service?.entity);
  return [
    ...left.map(([, entity, kind]) => ({ ...row, entity, kind, removed: 1 })),
    ...(service && kept?.[2] !== service.kind ? [{ ...row, ...service, removed: 0 }] : []),
  ];
};
