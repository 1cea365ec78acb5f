-- What contracts answered about themselves when a node was asked: events of the log. What blocks say is in `assets`.
CREATE TABLE IF NOT EXISTS {database:Identifier}.asset_claims
(
    chain LowCardinality(String),
    asset String,
    symbol String COMMENT 'anybody can name a token as they like; empty where it says none',
    decimals Int32 COMMENT '-1 where it says none',
    sequence UInt64
)
ENGINE = ReplacingMergeTree(sequence)
ORDER BY (chain, asset)
SETTINGS index_granularity = 1024, fsync_after_insert = 1, fsync_part_directory = 1;
