-- Control events: who may act for whom, and who made what (docs/decisions/0039-control-events.md). They come by an insert of
-- their own, as bridges' columns do: views behind the one of movements would cost each of its inserts more.

CREATE TABLE IF NOT EXISTS {database:Identifier}.control_columns_in
(
    sequence Int64,
    chain String,
    block_number Int64,
    part Int32,
    parts Int32,
    parent_number Int64,
    block_time Int64,
    tx_index Array(Int32),
    tx_hash Array(String),
    tx_sender Array(String),
    tx_movements Array(Int32),
    keeps_control Array(Int32),
    tx_controls Array(Int32),
    c_index Array(Int32),
    c_kind Array(Int32),
    c_subject Array(String),
    c_holder Array(String),
    c_party Array(String),
    c_asset Array(String),
    c_amount Array(String),
    c_detail Array(String),
    c_emitter Array(String),
    c_by_holder Array(Int32)
)
ENGINE = Null;

-- Flat rows on their way to the table.
CREATE TABLE IF NOT EXISTS {database:Identifier}.control_events_in
(
    chain LowCardinality(String),
    block_number UInt64,
    block_time DateTime('UTC'),
    tx_index Int32,
    `index` UInt32,
    tx_hash String,
    sender String,
    kind Enum8('contract_created' = 0, 'mint_created' = 1, 'program_deployed' = 2, 'program_upgraded' = 3,
        'authority_changed' = 4, 'approval' = 5, 'permit' = 6, 'frozen' = 7, 'thawed' = 8, 'metadata' = 9,
        'owner_assigned' = 10, 'code_delegated' = 11, 'calls' = 12),
    subject String,
    holder String,
    party String,
    asset String,
    amount UInt256,
    detail String,
    emitter String,
    by_holder Bool,
    sequence UInt64
)
ENGINE = Null;

-- Every event once per role that an address has in it: calls by the program alone, approvals not by the token itself. A transaction's
-- hash is three quarters of such a row, and `transfers` has it already.
CREATE TABLE IF NOT EXISTS {database:Identifier}.control_entries
(
    chain LowCardinality(String),
    address String CODEC(LZ4),
    role Enum8('subject' = 0, 'holder' = 1, 'party' = 2),
    kind Enum8('contract_created' = 0, 'mint_created' = 1, 'program_deployed' = 2, 'program_upgraded' = 3,
        'authority_changed' = 4, 'approval' = 5, 'permit' = 6, 'frozen' = 7, 'thawed' = 8, 'metadata' = 9,
        'owner_assigned' = 10, 'code_delegated' = 11, 'calls' = 12),
    block_time DateTime('UTC') CODEC(T64, LZ4),
    block_number UInt64 CODEC(T64, LZ4),
    tx_index Int32 CODEC(T64, LZ4),
    `index` UInt32 COMMENT 'within the control events of its transaction' CODEC(T64, LZ4),
    tx_hash String COMMENT 'only of a transaction that moved nothing, which no other table names' CODEC(LZ4),
    sender String COMMENT 'who pays the fee of the transaction' CODEC(ZSTD(1)),
    subject String COMMENT 'the token, token account, program, contract or wallet concerned' CODEC(ZSTD(1)),
    holder String COMMENT 'whose it is or was; empty where nobody is told' CODEC(ZSTD(1)),
    party String COMMENT 'the new authority, delegate, spender, caller; empty where there is none' CODEC(ZSTD(1)),
    asset String COMMENT 'the mint of a token account' CODEC(ZSTD(1)),
    amount UInt256 COMMENT 'what may be spent, 0 where revoked; how many calls' CODEC(ZSTD(1)),
    detail String CODEC(ZSTD(1)),
    emitter String COMMENT 'whose word it is; empty where it is the subject' CODEC(ZSTD(1)),
    by_holder Bool COMMENT 'whether the holder did it himself' CODEC(ZSTD(1)),
    sequence UInt64 CODEC(T64, LZ4)
)
ENGINE = MergeTree
ORDER BY (chain, address, role, kind, block_time, block_number, tx_index, index)
SETTINGS primary_key_ratio_of_unique_prefix_values_to_skip_suffix_columns = 1,
    index_granularity = 512, min_compress_block_size = 4096, non_replicated_deduplication_window = 10000,
    fsync_after_insert = 1, fsync_part_directory = 1,
    min_bytes_for_wide_part = 268435456,
    min_age_to_force_merge_seconds = 3600, enable_max_bytes_limit_for_min_age_to_force_merge = 1,
    max_bytes_to_merge_at_max_space_in_pool = 17179869184,
    merge_selector_base = 10, primary_key_lazy_load = 0, prewarm_mark_cache = 1;

-- One row per part of a block whose control events are kept: what is in `blocks` and not here was read without them.
CREATE TABLE IF NOT EXISTS {database:Identifier}.control_blocks
(
    chain LowCardinality(String),
    number UInt64 CODEC(Delta, ZSTD(1)),
    parent_number Nullable(UInt64) CODEC(ZSTD(1)),
    time DateTime('UTC') CODEC(Delta, ZSTD(1)),
    part UInt32,
    coverage Enum8('none' = 0, 'outer' = 1, 'full' = 2) COMMENT 'outer: without calls inside transactions',
    sequence UInt64 CODEC(Delta, ZSTD(1))
)
ENGINE = MergeTree
ORDER BY (chain, number, part)
SETTINGS index_granularity = 1024, non_replicated_deduplication_window = 10000,
    fsync_after_insert = 1, fsync_part_directory = 1,
    min_bytes_for_wide_part = 268435456;

CREATE MATERIALIZED VIEW IF NOT EXISTS {database:Identifier}.control_blocks_view
TO {database:Identifier}.control_blocks AS
SELECT
    chain,
    toUInt64(block_number) AS number,
    if(parent_number < 0, NULL, toUInt64(parent_number)) AS parent_number,
    toDateTime(block_time, 'UTC') AS time,
    toUInt32(part) AS part,
    toInt8(keeps_control[1]) AS coverage,
    toUInt64(sequence) AS sequence
FROM {database:Identifier}.control_columns_in
WHERE parts > 0;

-- No counts stand beside transactions of a block without events. `*` stands for the transaction's sender.
CREATE MATERIALIZED VIEW IF NOT EXISTS {database:Identifier}.control_events_in_view
TO {database:Identifier}.control_events_in AS
SELECT
    chain,
    toUInt64(block_number) AS block_number,
    toDateTime(block_time, 'UTC') AS block_time,
    one_tx_index AS tx_index,
    toUInt32(one_index) AS `index`,
    one_hash AS tx_hash,
    one_sender AS sender,
    toInt8(one_kind) AS kind,
    one_subject AS subject,
    if(one_holder = '*', one_sender, one_holder) AS holder,
    if(one_party = '*', one_sender, one_party) AS party,
    one_asset AS asset,
    reinterpretAsUInt256(one_amount) AS amount,
    one_detail AS detail,
    one_emitter AS emitter,
    one_by_holder = 1 AS by_holder,
    toUInt64(sequence) AS sequence
FROM {database:Identifier}.control_columns_in
ARRAY JOIN
    arrayFlatten(arrayMap((value, rows) -> arrayWithConstant(rows, value), tx_index, arrayResize(tx_controls, length(tx_index)))) AS one_tx_index,
    arrayFlatten(arrayMap((value, moved, rows) -> arrayWithConstant(rows, if(moved = 0, value, '')), tx_hash, tx_movements, arrayResize(tx_controls, length(tx_hash)))) AS one_hash,
    arrayFlatten(arrayMap((value, rows) -> arrayWithConstant(rows, value), tx_sender, arrayResize(tx_controls, length(tx_sender)))) AS one_sender,
    c_index AS one_index,
    c_kind AS one_kind,
    c_subject AS one_subject,
    c_holder AS one_holder,
    c_party AS one_party,
    c_asset AS one_asset,
    c_amount AS one_amount,
    c_detail AS one_detail,
    c_emitter AS one_emitter,
    c_by_holder AS one_by_holder;

CREATE MATERIALIZED VIEW IF NOT EXISTS {database:Identifier}.control_entries_view
TO {database:Identifier}.control_entries AS
SELECT
    chain, entry.2 AS address, entry.1 AS role, kind, block_time, block_number, tx_index, index, tx_hash, sender,
    subject, holder, party, asset, amount, detail, emitter, by_holder, sequence
FROM {database:Identifier}.control_events_in
ARRAY JOIN multiIf(
    kind = 'calls', [('subject', subject)],
    kind IN ('approval', 'permit') AND asset = '', [('holder', holder), ('party', party)],
    [('subject', subject), ('holder', holder), ('party', party)]) AS entry
WHERE address != '';
