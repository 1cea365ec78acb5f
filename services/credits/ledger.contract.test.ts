import { openLedgerEngine } from '../testing/ledger/open-ledger-engine.ts';
import { testLedger } from './ledger.contract.ts';

testLedger((folder) => openLedgerEngine({ folder, kafka: null }));
