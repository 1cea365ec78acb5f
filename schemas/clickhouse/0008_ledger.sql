-- The books of the credit ledger: one row an event of `ledger.events`, with what it changed. An event may come again after
-- a crash; the whole of its row is known by the key, so FINAL shows it once. Balances and usage are plain views over it:
-- nothing is added up while rows come in, so they are what a rebuild would give, at any moment.
-- In them the table has no database before its name: a parameter there would become a parameter of the view.
CREATE TABLE IF NOT EXISTS {database:Identifier}.ledger_entries
(
    payer String COMMENT 'account:<id> or wallet:<network>:<address>',
    sequence UInt64 COMMENT 'grows with the events of a payer' CODEC(T64, LZ4),
    at DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
    type LowCardinality(String) COMMENT 'the event, as CallReserved',
    call_id String CODEC(ZSTD(1)),
    tariff LowCardinality(String),
    key_id String COMMENT 'empty where the call had a payment of its own' CODEC(ZSTD(1)),
    reason LowCardinality(String) COMMENT 'of a call that was refused or voided',
    posted_at Nullable(DateTime64(3, 'UTC')) COMMENT 'of a voided call that had been posted' CODEC(ZSTD(1)),
    command_id String COMMENT 'of a change of plan, and of credits' CODEC(ZSTD(1)),
    plan LowCardinality(String),
    cycle LowCardinality(String),
    period_end Nullable(DateTime64(3, 'UTC')) CODEC(ZSTD(1)),
    paid_until Nullable(DateTime64(3, 'UTC')) CODEC(ZSTD(1)),
    ends_allowance Bool COMMENT 'what was left of the plan before this event is gone',
    analyses_charged Int64 COMMENT 'the price of the call' CODEC(T64, ZSTD(1)),
    traces_charged Int64 CODEC(T64, ZSTD(1)),
    credits_charged Int64 CODEC(T64, ZSTD(1)),
    analyses_change Int64 COMMENT 'what the event adds to the balance' CODEC(T64, ZSTD(1)),
    traces_change Int64 CODEC(T64, ZSTD(1)),
    credits_change Int64 CODEC(T64, ZSTD(1))
)
ENGINE = ReplacingMergeTree
ORDER BY (payer, sequence)
SETTINGS index_granularity = 1024, fsync_after_insert = 1, fsync_part_directory = 1;

-- What the events so far left to each payer. What time alone brings about (a new period, a plan's end) is in it from the
-- payer's next event on.
CREATE VIEW IF NOT EXISTS {database:Identifier}.ledger_balances AS
SELECT
    payer,
    argMaxIf(plan, sequence, type = 'PlanChanged') AS plan_now,
    sumIf(analyses_change, sequence >= begun) AS analyses_left,
    sumIf(traces_change, sequence >= begun) AS traces_left,
    sum(credits_change) AS pack_credits,
    countIf(type = 'CallReserved') - countIf(type = 'CallPosted')
        - countIf(type = 'CallVoided' AND posted_at IS NULL) AS open_calls,
    max(at) AS last_event_at
FROM
(
    SELECT *, max(if(ends_allowance, sequence, 0)) OVER (PARTITION BY payer) AS begun
    FROM {database:Identifier}.ledger_entries FINAL
)
GROUP BY payer;

-- Calls of each UTC day and what they cost, as GET /billing/usage says. A call that was posted and voided after all is
-- taken off the day it was posted on.
CREATE VIEW IF NOT EXISTS {database:Identifier}.usage_days AS
SELECT
    payer,
    toDate(counted_at) AS date,
    sumIf(posted, tariff IN ('analyze', 'analyze_large')) AS analyses,
    sumIf(posted, tariff = 'trace') AS traces,
    sumIf(posted, tariff = 'follow') AS follows,
    sumIf(posted, tariff = 'insiders') AS insiders,
    sumIf(posted, tariff = 'victims') AS victims,
    sum(failed_calls) AS failed,
    sum(posted * charged.1) AS analyses_charged,
    sum(posted * charged.2) AS traces_charged,
    sum(posted * charged.3) AS credits_charged
FROM
(
    SELECT payer, tariff, tuple(analyses_charged, traces_charged, credits_charged) AS charged,
        counted.1 AS counted_at, counted.2 AS posted, counted.3 AS failed_calls
    FROM {database:Identifier}.ledger_entries FINAL
    ARRAY JOIN multiIf(
        type = 'CallPosted', [tuple(at, 1, 0)],
        posted_at IS NULL, [tuple(at, 0, 1)],
        [tuple(assumeNotNull(posted_at), -1, 0), tuple(at, 0, 1)]) AS counted
    WHERE type IN ('CallPosted', 'CallVoided')
)
GROUP BY payer, date;
