-- From events to tables: an insert of block events passes two tables that keep nothing on its way to all others.
-- An expression array[position] inside or behind an ARRAY JOIN copies the whole array for every row (measured: 35 s
-- and 10 GB for 300,000 movements). The arrays of a block's transactions are therefore spread over its movements by
-- sorting: keys put each transaction in front of its movements, arrayFill carries it forward, and a second sort
-- restores the order of the movements.

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
    m_tx Array(Int32),
    m_index Array(Int32),
    m_kind Array(Int32),
    m_from Array(String),
    m_to Array(String),
    m_asset Array(String),
    m_amount Array(String),
    m_authority Array(String),
    s_tx Array(Int32),
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
    toUInt32(length(tx_index)) AS transactions,
    toUInt32(length(m_tx)) AS movements,
    toUInt64(sequence) AS sequence
FROM {database:Identifier}.block_transfers_in;

CREATE MATERIALIZED VIEW IF NOT EXISTS {database:Identifier}.transactions_view
TO {database:Identifier}.transactions AS
SELECT
    cityHash64(one_hash) AS hash_key,
    chain,
    toUInt64(block_number) AS block_number,
    one_index AS tx_index,
    toUInt64(sequence) AS sequence
FROM {database:Identifier}.block_transfers_in
ARRAY JOIN tx_index AS one_index, tx_hash AS one_hash;

CREATE MATERIALIZED VIEW IF NOT EXISTS {database:Identifier}.movements_view
TO {database:Identifier}.movements_in AS
SELECT
    chain,
    toUInt64(block_number) AS block_number,
    toDateTime(block_time, 'UTC') AS block_time,
    -- Rows of the block itself belong to no transaction.
    if(one_tx < 0, -1, one_tx_index) AS tx_index,
    toUInt32(one_index) AS `index`,
    if(one_tx < 0, '', one_tx_hash) AS tx_hash,
    if(one_tx < 0, '', one_sender) AS sender,
    toInt8(one_kind) AS kind,
    one_from AS from_address,
    one_to AS to_address,
    one_asset AS asset,
    if(one_asset != 'native' AND (chain, one_asset) IN (SELECT chain, asset FROM {database:Identifier}.wrapped_native), 'native', one_asset) AS asset_family,
    reinterpretAsUInt256(one_amount) AS amount,
    one_authority AS authority,
    toUInt64(sequence) AS sequence
FROM
(
    WITH
        -- A transaction's key is its position from 1 in the upper half; a row's has its own place in the lower half.
        arrayConcat(
            arrayMap(place -> bitShiftLeft(toUInt64(place), 32), arrayEnumerate(tx_hash)),
            arrayMap((tx, place) -> bitShiftLeft(toUInt64(tx + 1), 32) + place, m_tx, arrayEnumerate(m_tx))
        ) AS keys,
        arrayMap(key -> bitAnd(key, 4294967295), arraySort(keys)) AS places,
        arrayFilter(place -> place != 0, places) AS row_places,
        arrayWithConstant(length(m_tx), '') AS blanks,
        arraySort((v, key) -> key, arrayConcat(tx_hash, blanks), keys) AS hashes,
        arraySort((v, key) -> key, arrayConcat(tx_sender, blanks), keys) AS senders,
        arraySort((v, key) -> key, arrayConcat(tx_index, arrayWithConstant(length(m_tx), toInt32(-1))), keys) AS indexes,
        arrayFilter((v, place) -> place != 0, arrayFill((v, place) -> place = 0, hashes, places), places) AS row_hashes,
        arrayFilter((v, place) -> place != 0, arrayFill((v, place) -> place = 0, senders, places), places) AS row_senders,
        arrayFilter((v, place) -> place != 0, arrayFill((v, place) -> place = 0, indexes, places), places) AS row_indexes
    SELECT
        *,
        arraySort((v, place) -> place, row_hashes, row_places) AS m_tx_hash,
        arraySort((v, place) -> place, row_senders, row_places) AS m_sender,
        arraySort((v, place) -> place, row_indexes, row_places) AS m_tx_index
    FROM {database:Identifier}.block_transfers_in
)
ARRAY JOIN
    m_tx AS one_tx,
    m_index AS one_index,
    m_kind AS one_kind,
    m_from AS one_from,
    m_to AS one_to,
    m_asset AS one_asset,
    m_amount AS one_amount,
    m_authority AS one_authority,
    m_tx_hash AS one_tx_hash,
    m_sender AS one_sender,
    m_tx_index AS one_tx_index;

CREATE MATERIALIZED VIEW IF NOT EXISTS {database:Identifier}.transfers_view TO {database:Identifier}.transfers AS
SELECT * FROM {database:Identifier}.movements_in;

CREATE MATERIALIZED VIEW IF NOT EXISTS {database:Identifier}.account_entries_view
TO {database:Identifier}.account_entries AS
SELECT
    chain,
    side.1 AS address,
    side.2 AS direction,
    asset_family,
    block_time,
    block_number,
    tx_index,
    index,
    side.3 AS counterparty,
    asset,
    amount,
    kind,
    tx_hash,
    sender,
    authority,
    sequence
FROM {database:Identifier}.movements_in
ARRAY JOIN [(from_address, 'out', to_address), (to_address, 'in', from_address)] AS side
WHERE side.1 != '';

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
    m.asset AS asset,
    m.kind AS kind,
    m.tx_hash AS tx_hash,
    m.sender AS sender,
    m.authority AS authority,
    m.sequence AS sequence
FROM {database:Identifier}.account_entries AS m
INNER JOIN (SELECT chain, address, entity FROM {database:Identifier}.service_wallets FINAL) AS w
ON m.chain = w.chain AND m.address = w.address;

CREATE MATERIALIZED VIEW IF NOT EXISTS {database:Identifier}.swaps_view TO {database:Identifier}.swaps AS
SELECT
    chain,
    one_owner AS owner,
    if(one_gave != 'native' AND (chain, one_gave) IN (SELECT chain, asset FROM {database:Identifier}.wrapped_native), 'native', one_gave) AS gave_family,
    toDateTime(block_time, 'UTC') AS block_time,
    toUInt64(block_number) AS block_number,
    one_tx_index AS tx_index,
    toUInt32(one_index) AS `index`,
    one_tx_hash AS tx_hash,
    one_sender AS sender,
    one_gave AS gave_asset,
    reinterpretAsUInt256(one_gave_amount) AS gave_amount,
    one_got AS got_asset,
    if(one_got != 'native' AND (chain, one_got) IN (SELECT chain, asset FROM {database:Identifier}.wrapped_native), 'native', one_got) AS got_family,
    reinterpretAsUInt256(one_got_amount) AS got_amount,
    one_through AS through,
    toUInt64(sequence) AS sequence
FROM
(
    WITH
        -- A transaction's key is its position from 1 in the upper half; a row's has its own place in the lower half.
        arrayConcat(
            arrayMap(place -> bitShiftLeft(toUInt64(place), 32), arrayEnumerate(tx_hash)),
            arrayMap((tx, place) -> bitShiftLeft(toUInt64(tx + 1), 32) + place, s_tx, arrayEnumerate(s_tx))
        ) AS keys,
        arrayMap(key -> bitAnd(key, 4294967295), arraySort(keys)) AS places,
        arrayFilter(place -> place != 0, places) AS row_places,
        arrayWithConstant(length(s_tx), '') AS blanks,
        arraySort((v, key) -> key, arrayConcat(tx_hash, blanks), keys) AS hashes,
        arraySort((v, key) -> key, arrayConcat(tx_sender, blanks), keys) AS senders,
        arraySort((v, key) -> key, arrayConcat(tx_index, arrayWithConstant(length(s_tx), toInt32(-1))), keys) AS indexes,
        arrayFilter((v, place) -> place != 0, arrayFill((v, place) -> place = 0, hashes, places), places) AS row_hashes,
        arrayFilter((v, place) -> place != 0, arrayFill((v, place) -> place = 0, senders, places), places) AS row_senders,
        arrayFilter((v, place) -> place != 0, arrayFill((v, place) -> place = 0, indexes, places), places) AS row_indexes
    SELECT
        *,
        arraySort((v, place) -> place, row_hashes, row_places) AS s_tx_hash,
        arraySort((v, place) -> place, row_senders, row_places) AS s_sender,
        arraySort((v, place) -> place, row_indexes, row_places) AS s_tx_index
    FROM {database:Identifier}.block_transfers_in
)
ARRAY JOIN
    s_index AS one_index,
    s_owner AS one_owner,
    s_gave_asset AS one_gave,
    s_gave_amount AS one_gave_amount,
    s_got_asset AS one_got,
    s_got_amount AS one_got_amount,
    s_through AS one_through,
    s_tx_hash AS one_tx_hash,
    s_sender AS one_sender,
    s_tx_index AS one_tx_index;

CREATE MATERIALIZED VIEW IF NOT EXISTS {database:Identifier}.assets_view TO {database:Identifier}.assets AS
SELECT DISTINCT
    chain,
    one_asset AS asset,
    one_decimals AS decimals
FROM {database:Identifier}.block_transfers_in
ARRAY JOIN asset AS one_asset, asset_decimals AS one_decimals;
