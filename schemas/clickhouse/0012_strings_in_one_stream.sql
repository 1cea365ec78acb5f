-- Lengths of texts stand before each text, not in a stream of their own: nobody asks for lengths, and each more stream of a column is a
-- place to read in a large part and a block to compress in a small one (docs/decisions/0026-less-work-per-transfer.md). Parts that are
-- there are read as they are.

ALTER TABLE {database:Identifier}.blocks MODIFY SETTING string_serialization_version = 'single_stream';
ALTER TABLE {database:Identifier}.transfers MODIFY SETTING string_serialization_version = 'single_stream';
ALTER TABLE {database:Identifier}.account_entries MODIFY SETTING string_serialization_version = 'single_stream';
ALTER TABLE {database:Identifier}.transactions MODIFY SETTING string_serialization_version = 'single_stream';
ALTER TABLE {database:Identifier}.swaps MODIFY SETTING string_serialization_version = 'single_stream';
ALTER TABLE {database:Identifier}.assets MODIFY SETTING string_serialization_version = 'single_stream';
ALTER TABLE {database:Identifier}.service_entries MODIFY SETTING string_serialization_version = 'single_stream';
