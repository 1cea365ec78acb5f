-- Which granule a key lies in is held in memory from the start, and a new part's from when it is written: some 30 MB for 100 M
-- transfers. Read when first asked for, it made the first trail after a start wait for up to two seconds
-- (docs/decisions/0028-follow-speed.md). These are the tables that grow with a chain and that trails and traces ask.

ALTER TABLE {database:Identifier}.blocks MODIFY SETTING primary_key_lazy_load = 0, prewarm_mark_cache = 1;
ALTER TABLE {database:Identifier}.transfers MODIFY SETTING primary_key_lazy_load = 0, prewarm_mark_cache = 1;
ALTER TABLE {database:Identifier}.account_entries MODIFY SETTING primary_key_lazy_load = 0, prewarm_mark_cache = 1;
ALTER TABLE {database:Identifier}.transactions MODIFY SETTING primary_key_lazy_load = 0, prewarm_mark_cache = 1;
ALTER TABLE {database:Identifier}.swaps MODIFY SETTING primary_key_lazy_load = 0, prewarm_mark_cache = 1;
ALTER TABLE {database:Identifier}.service_entries MODIFY SETTING primary_key_lazy_load = 0, prewarm_mark_cache = 1;
ALTER TABLE {database:Identifier}.labels MODIFY SETTING primary_key_lazy_load = 0, prewarm_mark_cache = 1;
ALTER TABLE {database:Identifier}.prices MODIFY SETTING primary_key_lazy_load = 0, prewarm_mark_cache = 1;
