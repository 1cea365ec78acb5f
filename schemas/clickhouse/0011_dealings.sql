-- Who dealt with whom in the coin or a stablecoin: each hand-over once per side, as account_entries has it, but by keys of eight bytes
-- instead of names and without amounts, so that a hundred wallets are found and read for a third of what their entries
-- take. Other assets would double what it costs an insert. A stablecoin that the code knows later (migrate.test.ts tells) takes
-- another migration that brings it here.
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

-- From the entries, which have both sides already: half of what it costs from the movements.
CREATE MATERIALIZED VIEW IF NOT EXISTS {database:Identifier}.dealings_view TO {database:Identifier}.dealings AS
SELECT
    cityHash64(chain, address) AS wallet_key,
    direction,
    asset_family,
    block_time,
    block_number,
    tx_index,
    cityHash64(chain, counterparty) AS counterparty_key,
    sequence
FROM {database:Identifier}.account_entries
WHERE kind IN ('transfer', 'program', 'owner_change') AND amount > 0 AND counterparty != '' AND counterparty != address
    AND asset_family IN (
        'native', 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
        'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB', '2b1kV6DkPAnxd5ixfnxCpjxmKwqjjaYmCZfHsFu24GXo',
        '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48', '0xdac17f958d2ee523a2206206994597c13d831ec7',
        '0x6b175474e89094c44da98b954eedeac495271d0f', '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913',
        '0xd9aaec86b65d86f6a7b5b1b0c42ffa531710b6ca', '0x50c5725949a6f0c72e6c4a641f24049a917db0cb',
        '0xaf88d065e77c8cc2239327c5edb3a432268e5831', '0xff970a61a04b1ca14834a43f5de4533ebddb5cc8',
        '0xfd086bc7cd5c481dcc9c85ebe478a1c0b69fcbb9', '0xda10009cbd5d07dd0cecc66161fc93d7c9000da1',
        '0x0b2c639c533813f4aa9d7837caf62653d097ff85', '0x7f5c764cbc14f9669b88837ca1490cca17c31607',
        '0x94b008aa00579c1307b0ef2c499ad98a8ce58e58', '0x3c499c542cef5e3811e1192ce70d8cc03d5c3359',
        '0x2791bca1f2de4661ed88a30c99a7a9449aa84174', '0xc2132d05d31c914a87c6611c10748aeb04b58e8f',
        '0x8f3cf7ad23cd3cadbd9735aff958023239c6a063', '0x55d398326f99059ff775485246999027b3197955',
        '0x8ac76a51cc950d9822d68b83fe1ad97b32cd580d', '0xe9e7cea3dedca5984780bafc599bd69add087d56');

INSERT INTO {database:Identifier}.dealings
SELECT cityHash64(chain, address), direction, asset_family, block_time, block_number, tx_index, cityHash64(chain, counterparty), sequence
FROM {database:Identifier}.account_entries
WHERE kind IN ('transfer', 'program', 'owner_change') AND amount > 0 AND counterparty != '' AND counterparty != address
    AND asset_family IN (
        'native', 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
        'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB', '2b1kV6DkPAnxd5ixfnxCpjxmKwqjjaYmCZfHsFu24GXo',
        '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48', '0xdac17f958d2ee523a2206206994597c13d831ec7',
        '0x6b175474e89094c44da98b954eedeac495271d0f', '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913',
        '0xd9aaec86b65d86f6a7b5b1b0c42ffa531710b6ca', '0x50c5725949a6f0c72e6c4a641f24049a917db0cb',
        '0xaf88d065e77c8cc2239327c5edb3a432268e5831', '0xff970a61a04b1ca14834a43f5de4533ebddb5cc8',
        '0xfd086bc7cd5c481dcc9c85ebe478a1c0b69fcbb9', '0xda10009cbd5d07dd0cecc66161fc93d7c9000da1',
        '0x0b2c639c533813f4aa9d7837caf62653d097ff85', '0x7f5c764cbc14f9669b88837ca1490cca17c31607',
        '0x94b008aa00579c1307b0ef2c499ad98a8ce58e58', '0x3c499c542cef5e3811e1192ce70d8cc03d5c3359',
        '0x2791bca1f2de4661ed88a30c99a7a9449aa84174', '0xc2132d05d31c914a87c6611c10748aeb04b58e8f',
        '0x8f3cf7ad23cd3cadbd9735aff958023239c6a063', '0x55d398326f99059ff775485246999027b3197955',
        '0x8ac76a51cc950d9822d68b83fe1ad97b32cd580d', '0xe9e7cea3dedca5984780bafc599bd69add087d56')
SETTINGS max_execution_time = 0, insert_deduplicate = 0;
