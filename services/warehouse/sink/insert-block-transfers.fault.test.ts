import { testKilledInserts } from './insert-block-transfers.fault.ts';

testKilledInserts(3);
