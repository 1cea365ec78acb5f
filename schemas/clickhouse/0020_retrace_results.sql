-- What jobs that trace many transfers have found: pages of the log that an event of their job names. One row for each candidate, or one
-- with rank 0 where there is none. A job is forgotten after 29 days, and so are they.
CREATE TABLE IF NOT EXISTS {database:Identifier}.retrace_results
(
    job_id String,
    run UInt32 COMMENT 'from 1; from the second on only what changed',
    place UInt32 COMMENT 'of the anchor in the request, from 0',
    rank UInt16 COMMENT 'of the candidate, from 1; 0: none was found, or the anchor cannot be traced',
    found_time DateTime('UTC'),
    is_priced Bool COMMENT 'shown once it is in retrace_charges',
    chain LowCardinality(String),
    wallet String,
    counterparty String,
    tx_hash String,
    direction LowCardinality(String) COMMENT 'out, in',
    refused LowCardinality(String) COMMENT 'why it cannot be traced; empty: it is traced',
    entity LowCardinality(String),
    kind LowCardinality(String) COMMENT 'mixer, exchange',
    scope LowCardinality(String),
    anonymity_set UInt32,
    candidates_total UInt32,
    candidate String,
    confidence Float64,
    amount Float64 COMMENT 'in whole units, as the answer says it',
    amount_raw UInt256,
    symbol String,
    candidate_time DateTime('UTC'),
    delta_seconds Int64,
    candidate_tx_hash String,
    label String,
    via String,
    is_same_wallet Bool,
    evidence Array(LowCardinality(String)),
    sequence UInt64
)
ENGINE = ReplacingMergeTree(sequence)
ORDER BY (job_id, run, place, rank)
TTL found_time + INTERVAL 29 DAY
SETTINGS index_granularity = 256, fsync_after_insert = 1, fsync_part_directory = 1;

CREATE TABLE IF NOT EXISTS {database:Identifier}.retrace_charges
(
    job_id String,
    run UInt32,
    place UInt32,
    charged_time DateTime('UTC'),
    sequence UInt64
)
ENGINE = ReplacingMergeTree(sequence)
ORDER BY (job_id, run, place)
TTL charged_time + INTERVAL 29 DAY
SETTINGS index_granularity = 256, fsync_after_insert = 1, fsync_part_directory = 1;
