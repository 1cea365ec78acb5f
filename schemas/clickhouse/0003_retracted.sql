-- Sequences of events that their chain took back. Nothing can be subtracted from the tables, so every read leaves out the
-- rows that carry one of these, until a clean-up has deleted them. The same sequence twice means the same as once.
CREATE TABLE IF NOT EXISTS {database:Identifier}.retracted
(
    sequence UInt64
)
ENGINE = ReplacingMergeTree
ORDER BY sequence
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;
