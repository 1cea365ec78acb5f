-- When each token was first named. Blocks may come in any order: the earliest wins whenever it comes.
CREATE TABLE IF NOT EXISTS {database:Identifier}.token_firsts
(
    chain LowCardinality(String),
    asset String,
    first SimpleAggregateFunction(min, Tuple(
        block_number UInt64, tx_index Int32, index UInt32, block_time DateTime('UTC')))
)
ENGINE = AggregatingMergeTree
ORDER BY (chain, asset)
SETTINGS index_granularity = 256, fsync_after_insert = 1, fsync_part_directory = 1
COMMENT 'derived';
