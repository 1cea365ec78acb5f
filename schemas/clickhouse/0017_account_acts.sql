-- A further kind of control event: accounts with code that did what their owners signed.
ALTER TABLE {database:Identifier}.control_events_in MODIFY COLUMN kind Enum8('contract_created' = 0, 'mint_created' = 1,
    'program_deployed' = 2, 'program_upgraded' = 3, 'authority_changed' = 4, 'approval' = 5, 'permit' = 6, 'frozen' = 7,
    'thawed' = 8, 'metadata' = 9, 'owner_assigned' = 10, 'code_delegated' = 11, 'calls' = 12, 'account_acted' = 13);
ALTER TABLE {database:Identifier}.control_entries MODIFY COLUMN kind Enum8('contract_created' = 0, 'mint_created' = 1,
    'program_deployed' = 2, 'program_upgraded' = 3, 'authority_changed' = 4, 'approval' = 5, 'permit' = 6, 'frozen' = 7,
    'thawed' = 8, 'metadata' = 9, 'owner_assigned' = 10, 'code_delegated' = 11, 'calls' = 12, 'account_acted' = 13);
