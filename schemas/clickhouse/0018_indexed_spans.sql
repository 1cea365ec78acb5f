-- Since when each chain is indexed without a gap, up to its newest block: what the first and the only one is told by.
CREATE TABLE IF NOT EXISTS {database:Identifier}.indexed_spans
(
    chain LowCardinality(String),
    from_block UInt64,
    from_time DateTime('UTC'),
    begins_chain Bool COMMENT 'whether that is the first block of the chain'
)
ENGINE = ReplacingMergeTree
ORDER BY chain
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1
COMMENT 'derived';
