import { openEmbeddedEngine } from '../testing/ledger/embedded-ledger-engine.ts';
import { testLedger } from './ledger.contract.ts';

testLedger(openEmbeddedEngine);
