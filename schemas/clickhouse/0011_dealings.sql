-- Who dealt with whom: each hand-over once per side, as account_entries has it, but by keys of eight bytes instead of names and
-- without amounts. Who asks it names the wallets himself. A hundred wallets are found and read here for a sixth of what
-- their entries take; a question with names must ask account_entries.
CREATE TABLE IF NOT EXISTS {database:Identifier}.dealings
(
    wallet_key UInt64 COMMENT 'cityHash64(chain, address)' CODEC(NONE),
    direction Enum8('in' = 1, 'out' = 2),
    asset_family LowCardinality(String),
    block_time DateTime('UTC') CODEC(T64, LZ4),
    block_number UInt64 CODEC(T64, LZ4),
    tx_index Int32 CODEC(T64, LZ4),
    counterparty_key UInt64 CODEC(NONE),
    sequence UInt64 CODEC(T64, LZ4)
)
ENGINE = MergeTree
ORDER BY (wallet_key, direction, asset_family, block_time)
SETTINGS primary_key_ratio_of_unique_prefix_values_to_skip_suffix_columns = 1,
    index_granularity = 1024, min_compress_block_size = 4096, non_replicated_deduplication_window = 10000,
    fsync_after_insert = 1, fsync_part_directory = 1,
    min_bytes_for_wide_part = 268435456,
    min_age_to_force_merge_seconds = 3600, enable_max_bytes_limit_for_min_age_to_force_merge = 1,
    max_bytes_to_merge_at_max_space_in_pool = 17179869184,
    merge_selector_base = 10;

-- Filled below from what came before: where that was cut off, it begins anew.
TRUNCATE TABLE {database:Identifier}.dealings;

-- Each name is hashed once, though it stands on both sides.
CREATE MATERIALIZED VIEW IF NOT EXISTS {database:Identifier}.dealings_view TO {database:Identifier}.dealings AS
SELECT
    one_wallet AS wallet_key,
    one_direction AS direction,
    asset_family,
    block_time,
    block_number,
    tx_index,
    one_counterparty AS counterparty_key,
    sequence
FROM
(
    SELECT asset_family, block_time, block_number, tx_index, sequence,
        cityHash64(chain, from_address) AS payer, cityHash64(chain, to_address) AS payee
    FROM {database:Identifier}.movements_in
    WHERE kind IN ('transfer', 'program', 'owner_change') AND amount > 0
        AND from_address != '' AND to_address != '' AND from_address != to_address
)
ARRAY JOIN
    [payer, payee] AS one_wallet,
    CAST(['out', 'in'], 'Array(Enum8(''in'' = 1, ''out'' = 2))') AS one_direction,
    [payee, payer] AS one_counterparty;

INSERT INTO {database:Identifier}.dealings
SELECT cityHash64(chain, address), direction, asset_family, block_time, block_number, tx_index, cityHash64(chain, counterparty), sequence
FROM {database:Identifier}.account_entries
WHERE kind IN ('transfer', 'program', 'owner_change') AND amount > 0 AND counterparty != '' AND counterparty != address
SETTINGS max_execution_time = 0, insert_deduplicate = 0;
