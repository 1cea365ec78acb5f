import { openEmbeddedEngine } from '../testing/embedded-ledger-engine.ts';
import { testLedger } from './ledger.contract.ts';

testLedger(openEmbeddedEngine);
