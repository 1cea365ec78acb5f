-- Blocks that are said to be final and of which the head's copy stands, since it knows as much or more: the head cannot take
-- it back. The same block twice means the same as once.
CREATE TABLE IF NOT EXISTS {database:Identifier}.final_blocks
(
    chain LowCardinality(String),
    number UInt64,
    hash String
)
ENGINE = ReplacingMergeTree
ORDER BY (chain, number, hash)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;
