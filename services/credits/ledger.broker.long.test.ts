import { randomUUID } from 'node:crypto';
import { describeOnEngines } from '../testing/engines/describe-on-engines.ts';
import { temporaryFolder } from '../testing/temporary-folder.ts';
import { testLedgerFaults } from './ledger.fault.ts';

describeOnEngines('the ledger on a real broker and registry', (engines) => {
  // A killed process holds its group until its session ends: six seconds a round.
  testLedgerFaults(() => ({ folder: temporaryFolder(), kafka: { ...engines, prefix: `${randomUUID()}.` } }), {
    rounds: 3,
  });
});
