import { temporaryFolder } from '../testing/temporary-folder.ts';
import { testLedgerFaults } from './ledger.fault.ts';

testLedgerFaults(() => ({ folder: temporaryFolder(), kafka: null }), { rounds: 3 });
