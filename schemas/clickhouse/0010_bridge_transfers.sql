-- What bridges' own contracts tell of money on its way from chain to chain. Few blocks have such rows, so they come by an
-- insert of their own, made only where there are some: views behind the one of movements would cost each insert a tenth
-- more, rows or none (docs/decisions/0020-bridges.md).

CREATE TABLE IF NOT EXISTS {database:Identifier}.bridge_columns_in
(
    sequence Int64,
    chain String,
    block_number Int64,
    block_time Int64,
    b_tx_index Array(Int32),
    b_index Array(Int32),
    b_hash Array(String),
    b_bridge Array(String),
    b_side Array(Int32),
    b_message Array(String),
    b_far_chain Array(String),
    b_from Array(String),
    b_to Array(String),
    b_asset Array(String),
    b_amount Array(String)
)
ENGINE = Null;

-- Flat rows on their way to both tables.
CREATE TABLE IF NOT EXISTS {database:Identifier}.bridge_transfers_in
(
    chain LowCardinality(String),
    block_number UInt64,
    block_time DateTime('UTC'),
    tx_index Int32,
    `index` UInt32,
    tx_hash String,
    bridge LowCardinality(String),
    side Enum8('deposit' = 0, 'delivery' = 1),
    message_id String,
    far_chain LowCardinality(String),
    from_address String,
    to_address String,
    asset LowCardinality(String),
    amount UInt256,
    sequence UInt64
)
ENGINE = Null;

-- One side of a crossing, asked by its transaction.
CREATE TABLE IF NOT EXISTS {database:Identifier}.bridge_transfers
(
    chain LowCardinality(String),
    block_number UInt64 CODEC(T64, ZSTD(1)),
    block_time DateTime('UTC') CODEC(T64, ZSTD(1)),
    tx_index Int32 CODEC(T64, ZSTD(1)),
    `index` UInt32 CODEC(T64, ZSTD(1)),
    tx_hash String CODEC(LZ4),
    bridge LowCardinality(String),
    side Enum8('deposit' = 0, 'delivery' = 1) COMMENT 'put in here, or paid out here',
    message_id String COMMENT 'the bridge''s own number, the same on both sides; empty where this side does not tell it' CODEC(LZ4),
    far_chain LowCardinality(String) COMMENT 'empty where it is none of ours',
    from_address String COMMENT 'who put it in; empty where this side does not tell it' CODEC(ZSTD(1)),
    to_address String COMMENT 'who is paid, on the chain where that happens' CODEC(ZSTD(1)),
    asset LowCardinality(String) COMMENT 'what moved on this side',
    amount UInt256 COMMENT '0 where this side does not tell it' CODEC(ZSTD(1)),
    sequence UInt64 CODEC(T64, ZSTD(1))
)
ENGINE = MergeTree
ORDER BY (chain, block_number, tx_index, index)
SETTINGS primary_key_ratio_of_unique_prefix_values_to_skip_suffix_columns = 1,
    index_granularity = 1024, non_replicated_deduplication_window = 10000,
    fsync_after_insert = 1, fsync_part_directory = 1,
    min_bytes_for_wide_part = 268435456,
    min_age_to_force_merge_seconds = 3600, enable_max_bytes_limit_for_min_age_to_force_merge = 1,
    max_bytes_to_merge_at_max_space_in_pool = 17179869184;

-- The same rows, asked by the number of their crossing; those without one are left out.
CREATE TABLE IF NOT EXISTS {database:Identifier}.bridge_messages
(
    bridge LowCardinality(String),
    message_id String CODEC(LZ4),
    side Enum8('deposit' = 0, 'delivery' = 1),
    chain LowCardinality(String),
    block_number UInt64 CODEC(T64, ZSTD(1)),
    block_time DateTime('UTC') CODEC(T64, ZSTD(1)),
    tx_index Int32 CODEC(T64, ZSTD(1)),
    `index` UInt32 CODEC(T64, ZSTD(1)),
    tx_hash String CODEC(LZ4),
    far_chain LowCardinality(String),
    from_address String CODEC(ZSTD(1)),
    to_address String CODEC(ZSTD(1)),
    asset LowCardinality(String),
    amount UInt256 CODEC(ZSTD(1)),
    sequence UInt64 CODEC(T64, ZSTD(1))
)
ENGINE = MergeTree
ORDER BY (bridge, message_id, side, chain, block_number, tx_index, index)
SETTINGS primary_key_ratio_of_unique_prefix_values_to_skip_suffix_columns = 1,
    index_granularity = 256, non_replicated_deduplication_window = 10000,
    fsync_after_insert = 1, fsync_part_directory = 1,
    min_bytes_for_wide_part = 268435456,
    min_age_to_force_merge_seconds = 3600, enable_max_bytes_limit_for_min_age_to_force_merge = 1,
    max_bytes_to_merge_at_max_space_in_pool = 17179869184;

CREATE MATERIALIZED VIEW IF NOT EXISTS {database:Identifier}.bridge_transfers_in_view
TO {database:Identifier}.bridge_transfers_in AS
SELECT
    chain,
    toUInt64(block_number) AS block_number,
    toDateTime(block_time, 'UTC') AS block_time,
    one_tx_index AS tx_index,
    toUInt32(one_index) AS `index`,
    one_hash AS tx_hash,
    one_bridge AS bridge,
    toInt8(one_side) AS side,
    one_message AS message_id,
    one_far_chain AS far_chain,
    one_from AS from_address,
    one_to AS to_address,
    one_asset AS asset,
    reinterpretAsUInt256(one_amount) AS amount,
    toUInt64(sequence) AS sequence
FROM {database:Identifier}.bridge_columns_in
ARRAY JOIN
    b_tx_index AS one_tx_index,
    b_index AS one_index,
    b_hash AS one_hash,
    b_bridge AS one_bridge,
    b_side AS one_side,
    b_message AS one_message,
    b_far_chain AS one_far_chain,
    b_from AS one_from,
    b_to AS one_to,
    b_asset AS one_asset,
    b_amount AS one_amount;

CREATE MATERIALIZED VIEW IF NOT EXISTS {database:Identifier}.bridge_transfers_view
TO {database:Identifier}.bridge_transfers AS
SELECT * FROM {database:Identifier}.bridge_transfers_in;

CREATE MATERIALIZED VIEW IF NOT EXISTS {database:Identifier}.bridge_messages_view
TO {database:Identifier}.bridge_messages AS
SELECT
    bridge, message_id, side, chain, block_number, block_time, tx_index, index, tx_hash,
    far_chain, from_address, to_address, asset, amount, sequence
FROM {database:Identifier}.bridge_transfers_in
WHERE message_id != '';
