-- From events to tables: an insert of block events passes two tables that keep nothing on its way to all others.
-- What a transaction says of all its rows is repeated over them by its counts. (An expression array[position] inside or
-- behind an ARRAY JOIN would copy the whole array for every row: 35 s and 10 GB for 300,000 movements.)

CREATE TABLE IF NOT EXISTS {database:Identifier}.block_transfers_in
(
    sequence Int64,
    chain String,
    block_number Int64,
    block_hash String,
    part Int32,
    parts Int32,
    parent_hash String,
    parent_number Int64,
    block_time Int64,
    vote_fees String,
    tx_index Array(Int32),
    tx_hash Array(String),
    tx_sender Array(String),
    tx_movements Array(Int32),
    tx_swaps Array(Int32),
    m_index Array(Int32),
    m_kind Array(Int32),
    m_from Array(String),
    m_to Array(String),
    m_asset Array(String),
    m_amount Array(String),
    m_authority Array(String),
    s_index Array(Int32),
    s_owner Array(String),
    s_gave_asset Array(String),
    s_gave_amount Array(String),
    s_got_asset Array(String),
    s_got_amount Array(String),
    s_through Array(String),
    asset Array(String),
    asset_decimals Array(Int32)
)
ENGINE = Null;

-- Flat rows on their way to the tables of movements.
CREATE TABLE IF NOT EXISTS {database:Identifier}.movements_in
(
    chain LowCardinality(String),
    block_number UInt64,
    block_time DateTime('UTC'),
    tx_index Int32,
    `index` UInt32,
    tx_hash String,
    sender String,
    kind Enum8('transfer' = 0, 'program' = 1, 'fee' = 2, 'rent' = 3, 'reward' = 4, 'mint' = 5, 'burn' = 6,
        'withdrawal' = 7, 'owner_change' = 8, 'wrap' = 9, 'unwrap' = 10),
    from_address String,
    to_address String,
    asset LowCardinality(String),
    asset_family LowCardinality(String),
    amount UInt256,
    authority String,
    sequence UInt64
)
ENGINE = Null;

CREATE MATERIALIZED VIEW IF NOT EXISTS {database:Identifier}.blocks_view TO {database:Identifier}.blocks AS
SELECT
    chain,
    toUInt64(block_number) AS number,
    block_hash AS hash,
    parent_hash,
    if(parent_number < 0, NULL, toUInt64(parent_number)) AS parent_number,
    toDateTime(block_time, 'UTC') AS time,
    toUInt32(part) AS part,
    toUInt32(parts) AS parts,
    reinterpretAsUInt256(vote_fees) AS vote_fees,
    toUInt32(arrayCount(position -> position >= 0, tx_index)) AS transactions,
    toUInt32(length(m_index)) AS movements,
    toUInt64(sequence) AS sequence
FROM {database:Identifier}.block_transfers_in
WHERE parts > 0;

CREATE MATERIALIZED VIEW IF NOT EXISTS {database:Identifier}.transactions_view
TO {database:Identifier}.transactions AS
SELECT
    cityHash64(one_hash) AS hash_key,
    chain,
    toUInt64(block_number) AS block_number,
    one_index AS tx_index,
    toUInt64(sequence) AS sequence
FROM {database:Identifier}.block_transfers_in
ARRAY JOIN tx_index AS one_index, tx_hash AS one_hash
WHERE one_index >= 0;

CREATE MATERIALIZED VIEW IF NOT EXISTS {database:Identifier}.movements_view
TO {database:Identifier}.movements_in AS
SELECT
    chain,
    toUInt64(block_number) AS block_number,
    toDateTime(block_time, 'UTC') AS block_time,
    one_tx_index AS tx_index,
    toUInt32(one_index) AS index,
    one_hash AS tx_hash,
    one_sender AS sender,
    toInt8(one_kind) AS kind,
    one_from AS from_address,
    one_to AS to_address,
    one_asset AS asset,
    if(one_asset != 'native' AND (chain, one_asset) IN (SELECT chain, asset FROM {database:Identifier}.wrapped_native), 'native', one_asset) AS asset_family,
    reinterpretAsUInt256(one_amount) AS amount,
    one_authority AS authority,
    toUInt64(sequence) AS sequence
FROM {database:Identifier}.block_transfers_in
ARRAY JOIN
    arrayFlatten(arrayMap((value, rows) -> arrayWithConstant(rows, value), tx_index, tx_movements)) AS one_tx_index,
    arrayFlatten(arrayMap((value, rows) -> arrayWithConstant(rows, value), tx_hash, tx_movements)) AS one_hash,
    arrayFlatten(arrayMap((value, rows) -> arrayWithConstant(rows, value), tx_sender, tx_movements)) AS one_sender,
    m_index AS one_index,
    m_kind AS one_kind,
    m_from AS one_from,
    m_to AS one_to,
    m_asset AS one_asset,
    m_amount AS one_amount,
    m_authority AS one_authority;

CREATE MATERIALIZED VIEW IF NOT EXISTS {database:Identifier}.transfers_view TO {database:Identifier}.transfers AS
SELECT * FROM {database:Identifier}.movements_in;

CREATE MATERIALIZED VIEW IF NOT EXISTS {database:Identifier}.account_entries_view
TO {database:Identifier}.account_entries AS
SELECT
    chain,
    one_address AS address,
    one_direction AS direction,
    asset_family,
    block_time,
    block_number,
    tx_index,
    index,
    one_counterparty AS counterparty,
    amount,
    kind,
    one_address = sender AS is_sender,
    sequence
FROM {database:Identifier}.movements_in
ARRAY JOIN
    [from_address, to_address] AS one_address,
    CAST(['out', 'in'], 'Array(Enum8(''in'' = 1, ''out'' = 2))') AS one_direction,
    [to_address, from_address] AS one_counterparty
WHERE one_address != '';

CREATE MATERIALIZED VIEW IF NOT EXISTS {database:Identifier}.swaps_view TO {database:Identifier}.swaps AS
SELECT
    chain,
    one_owner AS owner,
    if(one_gave != 'native' AND (chain, one_gave) IN (SELECT chain, asset FROM {database:Identifier}.wrapped_native), 'native', one_gave) AS gave_family,
    toDateTime(block_time, 'UTC') AS block_time,
    toUInt64(block_number) AS block_number,
    one_tx_index AS tx_index,
    toUInt32(one_index) AS `index`,
    one_hash AS tx_hash,
    one_sender AS sender,
    one_gave AS gave_asset,
    reinterpretAsUInt256(one_gave_amount) AS gave_amount,
    one_got AS got_asset,
    if(one_got != 'native' AND (chain, one_got) IN (SELECT chain, asset FROM {database:Identifier}.wrapped_native), 'native', one_got) AS got_family,
    reinterpretAsUInt256(one_got_amount) AS got_amount,
    one_through AS through,
    toUInt64(sequence) AS sequence
FROM {database:Identifier}.block_transfers_in
ARRAY JOIN
    arrayFlatten(arrayMap((value, rows) -> arrayWithConstant(rows, value), tx_index, tx_swaps)) AS one_tx_index,
    arrayFlatten(arrayMap((value, rows) -> arrayWithConstant(rows, value), tx_hash, tx_swaps)) AS one_hash,
    arrayFlatten(arrayMap((value, rows) -> arrayWithConstant(rows, value), tx_sender, tx_swaps)) AS one_sender,
    s_index AS one_index,
    s_owner AS one_owner,
    s_gave_asset AS one_gave,
    s_gave_amount AS one_gave_amount,
    s_got_asset AS one_got,
    s_got_amount AS one_got_amount,
    s_through AS one_through;

CREATE MATERIALIZED VIEW IF NOT EXISTS {database:Identifier}.assets_view TO {database:Identifier}.assets AS
SELECT DISTINCT
    chain,
    one_asset AS asset,
    one_decimals AS decimals
FROM {database:Identifier}.block_transfers_in
ARRAY JOIN asset AS one_asset, asset_decimals AS one_decimals;
