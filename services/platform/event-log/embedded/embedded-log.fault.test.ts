import { describeEventLogFaults } from '../event-log.faults.ts';
import { EMBEDDED_LOG } from './faulty-log.ts';

describeEventLogFaults('embedded event log', EMBEDDED_LOG, { rounds: 3 });
