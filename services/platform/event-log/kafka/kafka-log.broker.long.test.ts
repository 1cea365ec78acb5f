import { describeOnEngines } from '../../../testing/engines/describe-on-engines.ts';
import { describeKilledWriters } from '../event-log.faults.ts';
import { kafkaLogOn } from './faulty-log.ts';

describeOnEngines('a real broker', ({ brokers }) => {
  describeKilledWriters('kafka event log', kafkaLogOn(brokers), { rounds: 4 });
});
