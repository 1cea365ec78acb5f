-- What is derived from the other tables (services/warehouse/derive). Rows rest on settled blocks only and can be made
-- again at any time, so nothing here is part of the log, and a comment of 'derived' keeps it out of comparisons with it.
-- Small granules where a run asks for the addresses of new events, which lie far apart in the key.

-- How far each derivation has come: per partition of the log, the sequence from which on events are new to it.
CREATE TABLE IF NOT EXISTS {database:Identifier}.derivations
(
    derivation LowCardinality(String),
    lane UInt16 COMMENT 'the remainder that all sequences of one partition of the log share',
    next UInt64,
    inputs UInt64 COMMENT 'hash of what else it rests on; another one means: from the beginning'
)
ENGINE = ReplacingMergeTree
ORDER BY (derivation, lane)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1
COMMENT 'derived';

-- What the derivation of deposit addresses works on; filled anew by each run.
CREATE TABLE IF NOT EXISTS {database:Identifier}.hot_wallets
(
    chain LowCardinality(String),
    address String,
    entity LowCardinality(String) COMMENT 'the exchange, as service_wallets names it'
)
ENGINE = MergeTree
ORDER BY (chain, address)
COMMENT 'derived';

CREATE TABLE IF NOT EXISTS {database:Identifier}.new_payers
(
    chain LowCardinality(String),
    address String,
    sweeps UInt64
)
ENGINE = MergeTree
ORDER BY (chain, address)
COMMENT 'derived';

CREATE TABLE IF NOT EXISTS {database:Identifier}.deposit_candidates
(
    chain LowCardinality(String),
    address String
)
ENGINE = MergeTree
ORDER BY (chain, address)
COMMENT 'derived';

-- Who ever paid an exchange. Both figures are bounds, since what cannot be a deposit address is not looked at again.
CREATE TABLE IF NOT EXISTS {database:Identifier}.payers
(
    chain LowCardinality(String),
    address String,
    sweeps SimpleAggregateFunction(sum, UInt64) COMMENT 'payments to hot wallets, at most',
    strays SimpleAggregateFunction(max, UInt64) COMMENT 'payments to anybody else, at least'
)
ENGINE = AggregatingMergeTree
ORDER BY (chain, address)
SETTINGS index_granularity = 256
COMMENT 'derived';

-- Addresses that sweep to an exchange: those that it gave to one customer hold, the others broke the pattern or never kept it.
CREATE TABLE IF NOT EXISTS {database:Identifier}.deposit_addresses
(
    chain LowCardinality(String),
    address String,
    entity LowCardinality(String) COMMENT 'the exchange, as service_wallets names it',
    holds Bool,
    confidence Float64,
    sweeps UInt32 COMMENT 'payments to hot wallets of the exchange that took everything, in time',
    strays UInt32 COMMENT 'payments to others; too many and it never holds again',
    senders UInt32 COMMENT 'different payers, hot wallets left out',
    forwarded_share Float64 COMMENT 'of what it got in the assets that are swept, 0 to 1',
    sponsored_share Float64 COMMENT 'sweeps whose fee somebody else paid, 0 to 1',
    collector String COMMENT 'the hot wallet of the last sweep',
    first_sweep DateTime('UTC'),
    last_sweep DateTime('UTC'),
    last_sweep_block UInt64,
    last_sweep_tx Int32,
    look_again DateTime('UTC') COMMENT 'from when on money that waits for its sweep is overdue; 1970 where none waits'
)
ENGINE = ReplacingMergeTree
ORDER BY (chain, address)
SETTINGS index_granularity = 256
COMMENT 'derived';

-- Who sent a wallet its first native coin. Blocks may come in any order: the earliest wins whenever it comes.
CREATE TABLE IF NOT EXISTS {database:Identifier}.first_funders
(
    chain LowCardinality(String),
    wallet String,
    first SimpleAggregateFunction(min, Tuple(
        block_number UInt64, tx_index Int32, index UInt32, block_time DateTime('UTC'), funder String, amount UInt256))
)
ENGINE = AggregatingMergeTree
ORDER BY (chain, wallet)
SETTINGS index_granularity = 256
COMMENT 'derived';

-- The same by funder: whom it may have funded first. A row counts only where first_funders names the same funder, since
-- an earlier payment can come to be known later.
CREATE TABLE IF NOT EXISTS {database:Identifier}.funder_groups
(
    chain LowCardinality(String),
    funder String,
    wallet String
)
ENGINE = ReplacingMergeTree
ORDER BY (chain, funder, wallet)
COMMENT 'derived';

-- Addresses by the characters that wallets show of them: three in front (behind 0x), four behind; and when they were first
-- seen on their chain.
CREATE TABLE IF NOT EXISTS {database:Identifier}.address_shapes
(
    chain LowCardinality(String),
    shape String,
    address String,
    seen SimpleAggregateFunction(min, Tuple(block_number UInt64, tx_index Int32, index UInt32))
)
ENGINE = AggregatingMergeTree
ORDER BY (chain, shape, address)
SETTINGS index_granularity = 256
COMMENT 'derived';

-- What the derivation of look-alikes works on; filled anew by each run.
CREATE TABLE IF NOT EXISTS {database:Identifier}.alike_addresses
(
    chain LowCardinality(String),
    address String,
    shape String,
    seen Tuple(block_number UInt64, tx_index Int32, index UInt32)
)
ENGINE = MergeTree
ORDER BY (chain, address)
COMMENT 'derived';

-- Two addresses of one shape in the history of a wallet that dealt with both, in either order. It is a look-alike only
-- where its `seen` is later than `original_seen`; blocks may come in any order, and the earliest counts.
CREATE TABLE IF NOT EXISTS {database:Identifier}.lookalikes
(
    chain LowCardinality(String),
    victim String,
    lookalike String,
    original String,
    met SimpleAggregateFunction(min, Tuple(block_number UInt64, tx_index Int32, index UInt32, block_time DateTime('UTC'))) COMMENT 'when the victim first dealt with the look-alike',
    seen SimpleAggregateFunction(min, Tuple(block_number UInt64, tx_index Int32, index UInt32)),
    original_seen SimpleAggregateFunction(min, Tuple(block_number UInt64, tx_index Int32, index UInt32))
)
ENGINE = AggregatingMergeTree
ORDER BY (chain, victim, lookalike, original)
COMMENT 'derived';
