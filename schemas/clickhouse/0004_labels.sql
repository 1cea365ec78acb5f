-- Who is who. One row for each label, as it was last said; FINAL leaves out what was revoked. What ended and is so again
-- has a row for each of its times. What an address is shown as
-- is decided by services/labels/rules/choose-label.ts, from all of its rows.
-- Whoever asks names many addresses at once, far apart in the key: small granules and small compressed blocks, so that
-- each of them costs little more than its own rows.
CREATE TABLE IF NOT EXISTS {database:Identifier}.labels
(
    chain LowCardinality(String),
    address String CODEC(LZ4),
    source LowCardinality(String),
    kind LowCardinality(String),
    name String CODEC(LZ4),
    entity String CODEC(LZ4),
    category LowCardinality(String),
    creator LowCardinality(String),
    confidence Float64,
    valid_from Int64 COMMENT 'unix seconds; 0 where it has always been so',
    valid_to Int64 COMMENT 'unix seconds, the first at which it was so no more; 0 while it is so',
    inherited_from String CODEC(LZ4),
    evidence String CODEC(ZSTD(1)),
    asserted_at Int64 COMMENT 'unix seconds',
    sequence UInt64 CODEC(T64, LZ4),
    revoked UInt8
)
ENGINE = ReplacingMergeTree(sequence, revoked)
ORDER BY (chain, address, source, kind, name, valid_from)
SETTINGS index_granularity = 128, min_compress_block_size = 4096, max_compress_block_size = 16384,
    fsync_after_insert = 1, fsync_part_directory = 1, min_bytes_for_wide_part = 268435456;

-- Addresses of services: exchanges with their deposit addresses, mixers. By address read with FINAL, which leaves out those
-- that are none any more; all of one service from the projection, which FINAL does not know, by the last word on each. `copied` once the entries of those that joined were copied, of those that left deleted.
CREATE TABLE IF NOT EXISTS {database:Identifier}.service_wallets
(
    chain LowCardinality(String),
    address String,
    entity LowCardinality(String),
    kind LowCardinality(String),
    copied UInt8,
    sequence UInt64,
    removed UInt8,
    PROJECTION of_entity (SELECT chain, entity, address, sequence, removed ORDER BY chain, entity, address)
)
ENGINE = ReplacingMergeTree(sequence, removed)
ORDER BY (chain, address, entity)
SETTINGS index_granularity = 128, min_compress_block_size = 4096, max_compress_block_size = 16384,
    deduplicate_merge_projection_mode = 'rebuild', lightweight_mutation_projection_mode = 'rebuild',
    fsync_after_insert = 1, fsync_part_directory = 1;

-- The entries of services only, by amount before time: a question with a tolerance reads one short range, and an
-- exchange with a million deposit addresses is one range too. Always read with FINAL: blocks that arrive while the
-- entries of a new service are copied bring some rows twice, and the whole row is the key.
CREATE TABLE IF NOT EXISTS {database:Identifier}.service_entries
(
    chain LowCardinality(String),
    entity LowCardinality(String),
    direction Enum8('in' = 1, 'out' = 2),
    asset_family LowCardinality(String),
    amount UInt256 CODEC(ZSTD(1)),
    block_time DateTime('UTC') CODEC(T64, ZSTD(1)),
    block_number UInt64 CODEC(T64, ZSTD(1)),
    tx_index Int32 CODEC(T64, ZSTD(1)),
    `index` UInt32 CODEC(T64, ZSTD(1)),
    address String CODEC(ZSTD(1)),
    counterparty String CODEC(ZSTD(1)),
    kind Enum8('transfer' = 0, 'program' = 1, 'fee' = 2, 'rent' = 3, 'reward' = 4, 'mint' = 5, 'burn' = 6,
        'withdrawal' = 7, 'owner_change' = 8, 'wrap' = 9, 'unwrap' = 10),
    is_sender Bool COMMENT 'whether the address itself pays the fee of the transaction' CODEC(ZSTD(1)),
    sequence UInt64 CODEC(T64, ZSTD(1))
)
ENGINE = ReplacingMergeTree
ORDER BY (chain, entity, direction, asset_family, amount, block_time, block_number, tx_index, index, sequence)
SETTINGS primary_key_ratio_of_unique_prefix_values_to_skip_suffix_columns = 1,
    index_granularity = 1024, min_compress_block_size = 4096, non_replicated_deduplication_window = 10000,
    fsync_after_insert = 1, fsync_part_directory = 1,
    min_bytes_for_wide_part = 268435456,
    min_age_to_force_merge_seconds = 3600, enable_max_bytes_limit_for_min_age_to_force_merge = 1,
    max_bytes_to_merge_at_max_space_in_pool = 17179869184;

CREATE MATERIALIZED VIEW IF NOT EXISTS {database:Identifier}.service_entries_view
TO {database:Identifier}.service_entries AS
SELECT
    m.chain AS chain,
    w.entity AS entity,
    m.direction AS direction,
    m.asset_family AS asset_family,
    m.amount AS amount,
    m.block_time AS block_time,
    m.block_number AS block_number,
    m.tx_index AS tx_index,
    m.index AS index,
    m.address AS address,
    m.counterparty AS counterparty,
    m.kind AS kind,
    m.is_sender AS is_sender,
    m.sequence AS sequence
FROM
(
    SELECT * FROM {database:Identifier}.account_entries
    WHERE (chain, address) IN (SELECT chain, address FROM {database:Identifier}.service_wallets FINAL)
) AS m
INNER JOIN (SELECT chain, address, entity FROM {database:Identifier}.service_wallets FINAL) AS w
ON m.chain = w.chain AND m.address = w.address;
