-- Tables of the warehouse. Every row carries the sequence of the event it came from, so that a retracted event can be
-- left out. No wallet table is partitioned: the number of active parts decides how long a question takes.
-- Deduplication by token works on every table an insert reaches, so that a batch can be repeated after a crash; rows
-- are on disk before an insert is confirmed, so that the log's commit is never ahead of them.
-- Tables that are asked wallet by wallet are merged into one part an hour after their rows came: every part costs such a
-- question half a millisecond and more. Parts above 16 GB stay as they are, so that old history is not written again
-- and again.
-- Until then about ten parts of a size are merged into one, where the engine's default is five: rows are written again a
-- third less often, and merges are what a long load waits for.
-- Indexes keep all their columns in memory: left alone the engine keeps only the wallet where most marks begin with another
-- one, and then reads a busy wallet of that part whole, whatever the time that was asked for.
-- Small compressed blocks where tables are asked by point: by default one holds 16,384 values of four bytes, and a question for the
-- thousand rows of a wallet unpacks all of them, column by column. A block ends with its granule, and costs 3 % of disk.
-- Hashes are random: ZSTD would save a quarter of them for a tenth of the insert's time, and again at every merge.
-- Places and times of the large tables are packed by T64 alone: ZSTD behind it would save nothing of the disk that can be told, for a
-- sixth of the insert's time.

-- One row per part of a block.
CREATE TABLE IF NOT EXISTS {database:Identifier}.blocks
(
    chain LowCardinality(String),
    number UInt64 COMMENT 'slot on Solana' CODEC(Delta, ZSTD(1)),
    hash String CODEC(ZSTD(1)),
    parent_hash String CODEC(ZSTD(1)),
    parent_number Nullable(UInt64) CODEC(ZSTD(1)),
    time DateTime('UTC') COMMENT '1970-01-01 where the source has none' CODEC(Delta, ZSTD(1)),
    part UInt32,
    parts UInt32,
    vote_fees UInt256 COMMENT 'sum of the block, in its first part' CODEC(ZSTD(1)),
    transactions UInt32,
    movements UInt32,
    sequence UInt64 CODEC(Delta, ZSTD(1)),
    INDEX times time TYPE minmax GRANULARITY 1
)
ENGINE = MergeTree
ORDER BY (chain, number, hash, part)
SETTINGS index_granularity = 1024, non_replicated_deduplication_window = 10000,
    fsync_after_insert = 1, fsync_part_directory = 1,
    min_bytes_for_wide_part = 268435456;

-- Every movement once, in the chain's own order.
CREATE TABLE IF NOT EXISTS {database:Identifier}.transfers
(
    chain LowCardinality(String),
    block_number UInt64 CODEC(T64, LZ4),
    block_time DateTime('UTC') CODEC(T64, LZ4),
    tx_index Int32 COMMENT '-1 for rows of the block itself' CODEC(T64, LZ4),
    `index` UInt32 CODEC(T64, LZ4),
    tx_hash String CODEC(LZ4),
    sender String COMMENT 'who pays the fee of the transaction' CODEC(ZSTD(1)),
    kind Enum8('transfer' = 0, 'program' = 1, 'fee' = 2, 'rent' = 3, 'reward' = 4, 'mint' = 5, 'burn' = 6,
        'withdrawal' = 7, 'owner_change' = 8, 'wrap' = 9, 'unwrap' = 10),
    from_address String COMMENT 'empty where the chain has no owner on that side' CODEC(ZSTD(1)),
    to_address String CODEC(ZSTD(1)),
    asset LowCardinality(String) COMMENT 'native, or the mint or contract address',
    asset_family LowCardinality(String) COMMENT 'native for the wrapped coin too',
    amount UInt256 CODEC(ZSTD(1)),
    authority String COMMENT 'who signed for it where that is not from_address' CODEC(ZSTD(1)),
    sequence UInt64 CODEC(T64, LZ4)
)
ENGINE = MergeTree
ORDER BY (chain, block_number, tx_index, index)
SETTINGS primary_key_ratio_of_unique_prefix_values_to_skip_suffix_columns = 1,
    index_granularity = 1024, min_compress_block_size = 4096, non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1,
    min_bytes_for_wide_part = 268435456,
    merge_selector_base = 10;

-- Every movement once per side that has an owner, by owner. Direction and asset stand before time in the key: a week of
-- a busy wallet is then one short range.
CREATE TABLE IF NOT EXISTS {database:Identifier}.account_entries
(
    chain LowCardinality(String),
    address String CODEC(LZ4),
    direction Enum8('in' = 1, 'out' = 2),
    asset_family LowCardinality(String),
    block_time DateTime('UTC') CODEC(T64, LZ4),
    block_number UInt64 CODEC(T64, LZ4),
    tx_index Int32 CODEC(T64, LZ4),
    `index` UInt32 CODEC(T64, LZ4),
    counterparty String COMMENT 'empty where the chain has no owner on that side' CODEC(LZ4),
    amount UInt256 CODEC(LZ4),
    kind Enum8('transfer' = 0, 'program' = 1, 'fee' = 2, 'rent' = 3, 'reward' = 4, 'mint' = 5, 'burn' = 6,
        'withdrawal' = 7, 'owner_change' = 8, 'wrap' = 9, 'unwrap' = 10),
    is_sender Bool COMMENT 'whether the address itself pays the fee of the transaction' CODEC(ZSTD(1)),
    sequence UInt64 CODEC(T64, LZ4)
)
ENGINE = MergeTree
ORDER BY (chain, address, direction, asset_family, block_time, block_number, tx_index, index)
SETTINGS primary_key_ratio_of_unique_prefix_values_to_skip_suffix_columns = 1,
    index_granularity = 1024, min_compress_block_size = 4096, non_replicated_deduplication_window = 10000,
    fsync_after_insert = 1, fsync_part_directory = 1,
    min_bytes_for_wide_part = 268435456,
    min_age_to_force_merge_seconds = 3600, enable_max_bytes_limit_for_min_age_to_force_merge = 1,
    max_bytes_to_merge_at_max_space_in_pool = 17179869184,
    merge_selector_base = 10;

-- Where a transaction stands. Ask by hash_key = cityHash64(hash) and compare the hash in transfers; a transaction that
-- was split over parts of its block has a row in each.
CREATE TABLE IF NOT EXISTS {database:Identifier}.transactions
(
    hash_key UInt64 CODEC(NONE),
    chain LowCardinality(String),
    block_number UInt64 CODEC(T64, LZ4),
    tx_index Int32 CODEC(T64, LZ4),
    sequence UInt64 CODEC(T64, LZ4)
)
ENGINE = MergeTree
ORDER BY hash_key
SETTINGS index_granularity = 256, non_replicated_deduplication_window = 10000,
    fsync_after_insert = 1, fsync_part_directory = 1,
    min_bytes_for_wide_part = 268435456,
    min_age_to_force_merge_seconds = 3600, enable_max_bytes_limit_for_min_age_to_force_merge = 1,
    max_bytes_to_merge_at_max_space_in_pool = 17179869184,
    merge_selector_base = 10;

-- An owner gave one asset and got another within one transaction.
CREATE TABLE IF NOT EXISTS {database:Identifier}.swaps
(
    chain LowCardinality(String),
    owner String CODEC(ZSTD(1)),
    gave_family LowCardinality(String),
    block_time DateTime('UTC') CODEC(T64, ZSTD(1)),
    block_number UInt64 CODEC(T64, ZSTD(1)),
    tx_index Int32 CODEC(T64, ZSTD(1)),
    `index` UInt32 CODEC(T64, ZSTD(1)),
    tx_hash String CODEC(LZ4),
    sender String CODEC(ZSTD(1)),
    gave_asset LowCardinality(String),
    gave_amount UInt256 CODEC(ZSTD(1)),
    got_asset LowCardinality(String),
    got_family LowCardinality(String),
    got_amount UInt256 CODEC(ZSTD(1)),
    through String COMMENT 'empty when it was issued by nobody' CODEC(ZSTD(1)),
    sequence UInt64 CODEC(T64, ZSTD(1))
)
ENGINE = MergeTree
ORDER BY (chain, owner, gave_family, block_time, block_number, tx_index, index)
SETTINGS primary_key_ratio_of_unique_prefix_values_to_skip_suffix_columns = 1,
    index_granularity = 1024, non_replicated_deduplication_window = 10000,
    fsync_after_insert = 1, fsync_part_directory = 1,
    min_bytes_for_wide_part = 268435456,
    min_age_to_force_merge_seconds = 3600, enable_max_bytes_limit_for_min_age_to_force_merge = 1,
    max_bytes_to_merge_at_max_space_in_pool = 17179869184,
    merge_selector_base = 10;

CREATE TABLE IF NOT EXISTS {database:Identifier}.assets
(
    chain LowCardinality(String),
    asset String CODEC(ZSTD(1)),
    decimals Int32
)
ENGINE = ReplacingMergeTree
ORDER BY (chain, asset)
SETTINGS index_granularity = 1024, non_replicated_deduplication_window = 10000,
    fsync_after_insert = 1, fsync_part_directory = 1,
    min_bytes_for_wide_part = 268435456;

-- Contracts whose token is the chain's own coin; filled by the code that knows the chains.
CREATE TABLE IF NOT EXISTS {database:Identifier}.wrapped_native
(
    chain LowCardinality(String),
    asset String
)
ENGINE = ReplacingMergeTree
ORDER BY (chain, asset);
