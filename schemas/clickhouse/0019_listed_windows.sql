-- Windows of histories that were read from their chains: events of the log. A row comes after the transactions that it speaks of.
CREATE TABLE IF NOT EXISTS {database:Identifier}.listed_windows
(
    chain LowCardinality(String),
    address String COMMENT 'wallet or contract',
    kinds Array(LowCardinality(String)) COMMENT 'sent, received, internal, tokens_out, tokens_in, emitted, withdrawals, rewards',
    asset String COMMENT 'only transfers of this asset; empty: of all',
    first UInt64 COMMENT 'block or slot, included',
    last UInt64 COMMENT 'block or slot, included',
    last_time DateTime('UTC') COMMENT 'of the last block; 1970 where nobody asked',
    source LowCardinality(String) COMMENT 'who listed it, such as evm-node',
    proof LowCardinality(String) COMMENT 'proved, listed or partial',
    reason LowCardinality(String) COMMENT 'why it is partial; empty where it is not',
    transactions UInt32 COMMENT 'that moved something',
    read_time DateTime('UTC'),
    sequence UInt64
)
ENGINE = ReplacingMergeTree(sequence)
ORDER BY (chain, address, sequence)
SETTINGS index_granularity = 256, fsync_after_insert = 1, fsync_part_directory = 1;
