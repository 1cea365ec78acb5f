import { describeOnEngines } from '../../../testing/engines/describe-on-engines.ts';
import { describeMembers } from '../event-log.faults.ts';
import { kafkaLogOn } from './faulty-log.ts';

describeOnEngines('a real broker', ({ brokers }) => {
  describeMembers('kafka event log', kafkaLogOn(brokers));
});
