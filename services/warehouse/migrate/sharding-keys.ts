/**
 * On which shard of a cluster a row of each table lies; a new table needs an entry (docs/decisions/0017-clickhouse-server.md). What is asked wallet by
 * wallet lies by its wallet, so that one shard answers; what FINAL merges must lie together, so the key is made of columns
 * that the table is ordered by.
 */
const SHARDING_KEYS: Readonly<Record<string, string>> = {
  migrations: 'number',

  account_entries: 'cityHash64(address)',
  swaps: 'cityHash64(owner)',
  labels: 'cityHash64(address)',
  service_wallets: 'cityHash64(address)',
  deposit_addresses: 'cityHash64(address)',
  deposit_candidates: 'cityHash64(address)',
  hot_wallets: 'cityHash64(address)',
  payers: 'cityHash64(address)',
  new_payers: 'cityHash64(address)',
  alike_addresses: 'cityHash64(address)',
  first_funders: 'cityHash64(wallet)',
  lookalikes: 'cityHash64(victim)',
  ledger_entries: 'cityHash64(payer)',
  control_entries: 'cityHash64(address)',

  // Asked by their place in the chain, or by a hash.
  blocks: 'cityHash64(number)',
  transfers: 'cityHash64(block_number)',
  transactions: 'hash_key',
  single_transactions: 'cityHash64(block_number)',
  final_blocks: 'cityHash64(number)',
  control_blocks: 'cityHash64(number)',
  bridge_transfers: 'cityHash64(block_number)',
  bridge_messages: 'cityHash64(message_id)',
  // Asked by service, of which one may be a third of all rows: spread, so that all shards look for it together.
  service_entries: 'cityHash64(block_number)',
  retracted: 'cityHash64(sequence)',
  deleted_events: 'cityHash64(event)',

  funder_groups: 'cityHash64(funder)',
  address_shapes: 'cityHash64(shape)',
  assets: 'cityHash64(asset)',
  asset_claims: 'cityHash64(asset)',
  token_firsts: 'cityHash64(asset)',
  wrapped_native: 'cityHash64(asset)',
  market_trades: 'cityHash64(asset)',
  priced_trades: 'cityHash64(asset)',
  prices: 'cityHash64(asset)',
  imported_prices: 'cityHash64(asset)',
  touched_hours: 'cityHash64(hour)',
  derivations: 'cityHash64(derivation)',
};

export const shardingKeyOf = (table: string): string | undefined => SHARDING_KEYS[table];
