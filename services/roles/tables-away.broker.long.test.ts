import { describeOnEngines } from '../testing/engines/describe-on-engines.ts';
import { watchFaults } from '../testing/service/watch-faults.ts';
import { testTablesAway } from './tables-away.fault.ts';

describeOnEngines('the service on a real broker and registry', (engines) => {
  testTablesAway(engines, watchFaults(), 60_000);
});
