-- What is derived is on disk before it is noted how far it reaches: after a power cut the notes were there and the newest facts
-- were not, and nothing derived them again. What one run fills for itself needs none of that.

ALTER TABLE {database:Identifier}.hot_wallets MODIFY SETTING fsync_after_insert = 1, fsync_part_directory = 1;
ALTER TABLE {database:Identifier}.payers MODIFY SETTING fsync_after_insert = 1, fsync_part_directory = 1;
ALTER TABLE {database:Identifier}.deposit_addresses MODIFY SETTING fsync_after_insert = 1, fsync_part_directory = 1;
ALTER TABLE {database:Identifier}.first_funders MODIFY SETTING fsync_after_insert = 1, fsync_part_directory = 1;
ALTER TABLE {database:Identifier}.funder_groups MODIFY SETTING fsync_after_insert = 1, fsync_part_directory = 1;
ALTER TABLE {database:Identifier}.address_shapes MODIFY SETTING fsync_after_insert = 1, fsync_part_directory = 1;
ALTER TABLE {database:Identifier}.lookalikes MODIFY SETTING fsync_after_insert = 1, fsync_part_directory = 1;
ALTER TABLE {database:Identifier}.market_trades MODIFY SETTING fsync_after_insert = 1, fsync_part_directory = 1;
ALTER TABLE {database:Identifier}.prices MODIFY SETTING fsync_after_insert = 1, fsync_part_directory = 1;
