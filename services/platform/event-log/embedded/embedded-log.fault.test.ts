import { describeMembers } from '../event-log.faults.ts';
import { EMBEDDED_LOG } from './faulty-log.ts';

describeMembers('embedded event log', EMBEDDED_LOG);
