-- Transactions that came without their block, because somebody asked about a wallet: what the whole block replaces.
CREATE TABLE IF NOT EXISTS {database:Identifier}.single_transactions
(
    chain LowCardinality(String),
    block_number UInt64 CODEC(T64, ZSTD(1)),
    hash String CODEC(LZ4),
    sequence UInt64 CODEC(T64, ZSTD(1))
)
ENGINE = MergeTree
ORDER BY (chain, block_number, hash)
SETTINGS index_granularity = 1024, non_replicated_deduplication_window = 10000,
    fsync_after_insert = 1, fsync_part_directory = 1;

CREATE MATERIALIZED VIEW IF NOT EXISTS {database:Identifier}.single_transactions_view
TO {database:Identifier}.single_transactions AS
SELECT
    chain,
    toUInt64(block_number) AS block_number,
    one_hash AS hash,
    toUInt64(sequence) AS sequence
FROM {database:Identifier}.block_transfers_in
ARRAY JOIN tx_hash AS one_hash
WHERE parts = 0;
