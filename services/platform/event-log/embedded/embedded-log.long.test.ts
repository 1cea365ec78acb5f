import { describeKilledWriters } from '../event-log.faults.ts';
import { EMBEDDED_LOG } from './faulty-log.ts';

describeKilledWriters('embedded event log', EMBEDDED_LOG, { rounds: 10 });
