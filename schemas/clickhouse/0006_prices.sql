-- Trades against dollar stablecoins or the chain's own coin, by the hour: what prices are made of.
CREATE TABLE IF NOT EXISTS {database:Identifier}.market_trades
(
    chain LowCardinality(String),
    hour DateTime('UTC'),
    asset LowCardinality(String) COMMENT 'a family: native for the wrapped coin too',
    quote LowCardinality(String) COMMENT 'what it was paid in',
    block_time DateTime('UTC'),
    block_number UInt64,
    tx_index Int32,
    `index` UInt32,
    is_buy Bool COMMENT 'the owner of the swap got the asset',
    amount UInt256,
    quote_amount UInt256
)
ENGINE = ReplacingMergeTree
ORDER BY (chain, hour, asset, quote, block_number, tx_index, `index`)
COMMENT 'derived';

-- What the derivation of prices works on; filled anew by each run.
CREATE TABLE IF NOT EXISTS {database:Identifier}.touched_hours
(
    chain LowCardinality(String),
    hour DateTime('UTC'),
    is_touched Bool COMMENT 'its prices may change; the others are what these are judged by'
)
ENGINE = MergeTree
ORDER BY (chain, hour)
COMMENT 'derived';

-- The trades that a run makes prices of, in whole units and dollars; filled anew by each run.
CREATE TABLE IF NOT EXISTS {database:Identifier}.priced_trades
(
    chain LowCardinality(String),
    asset LowCardinality(String),
    hour DateTime('UTC'),
    block_time DateTime('UTC'),
    is_buy Bool,
    units Float64,
    usd Float64
)
ENGINE = MergeTree
ORDER BY (chain, asset, hour)
COMMENT 'derived';

-- Dollars for one whole unit. Minutes and hours are derived; a null says that nothing is known of that bucket any more.
CREATE TABLE IF NOT EXISTS {database:Identifier}.prices
(
    chain LowCardinality(String),
    asset LowCardinality(String),
    resolution Enum8('minute' = 1, 'hour' = 2),
    time DateTime('UTC') COMMENT 'where the minute or hour begins',
    at DateTime('UTC') COMMENT 'the middle of its trades, by their worth',
    usd Nullable(Float64),
    volume_usd Float64,
    trades UInt32
)
ENGINE = ReplacingMergeTree
PARTITION BY toYYYYMM(time)
ORDER BY (chain, asset, resolution, time)
COMMENT 'derived';

-- Prices from elsewhere, as somebody imported them: events of the log, like everything that cannot be derived. FINAL leaves
-- out what was withdrawn.
CREATE TABLE IF NOT EXISTS {database:Identifier}.imported_prices
(
    chain LowCardinality(String),
    asset LowCardinality(String),
    day Date,
    time DateTime('UTC'),
    source LowCardinality(String),
    usd Float64,
    sequence UInt64,
    withdrawn UInt8
)
ENGINE = ReplacingMergeTree(sequence, withdrawn)
ORDER BY (chain, asset, day, time, source)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;
