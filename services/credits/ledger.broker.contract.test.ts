import { basename } from 'node:path';
import { describeOnEngines } from '../testing/engines/describe-on-engines.ts';
import { openLedgerEngine } from '../testing/ledger/open-ledger-engine.ts';
import { testLedger } from './ledger.contract.ts';

describeOnEngines('the ledger on a real broker and registry', (engines) => {
  testLedger((folder) => openLedgerEngine({ folder, kafka: { ...engines, prefix: `${basename(folder)}.` } }));
});
