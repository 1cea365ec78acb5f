/**
 * The shard of a row of each table on a cluster; a new table needs an entry
 * (docs/decisions/0017-clickhouse-server.md). Tables that are queried by wallet are sharded by wallet, so
 * that one shard answers. Rows that FINAL merges must be on one shard, so the key uses columns of the table's
 * order.
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
  listed_windows: 'cityHash64(address)',

  // Queried by their position in the chain, or by a hash.
  blocks: 'cityHash64(number)',
  transfers: 'cityHash64(block_number)',
  transactions: 'hash_key',
  single_transactions: 'cityHash64(block_number)',
  final_blocks: 'cityHash64(number)',
  control_blocks: 'cityHash64(number)',
  bridge_transfers: 'cityHash64(block_number)',
  bridge_messages: 'cityHash64(message_id)',
  // Queried by service. One service may have a third of all rows, so they are spread and all shards search
  // together.
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
  indexed_spans: 'cityHash64(chain)',

  // Queried by job.
  retrace_results: 'cityHash64(job_id)',
  retrace_charges: 'cityHash64(job_id)',
};

export const shardingKeyOf = (table: string): string | undefined => SHARDING_KEYS[table];
