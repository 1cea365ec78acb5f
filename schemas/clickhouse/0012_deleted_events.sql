-- Sequences of events whose rows a clean-up has deleted. A copy of rows that began before it brings them back, and they are no
-- longer in `retracted`: by this list who copied finds them. No copy takes a day.
CREATE TABLE IF NOT EXISTS {database:Identifier}.deleted_events
(
    event UInt64 COMMENT 'the sequence that its rows carried',
    deleted_at DateTime('UTC') DEFAULT now()
)
ENGINE = ReplacingMergeTree
ORDER BY event
TTL deleted_at + INTERVAL 1 DAY
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;
