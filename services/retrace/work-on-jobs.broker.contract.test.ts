import { basename } from 'node:path';
import { describeOnEngines } from '../testing/engines/describe-on-engines.ts';
import { testJobs } from './work-on-jobs.contract.ts';

describeOnEngines('jobs on a real broker and registry', (engines) => {
  testJobs((folder) => ({ folder, kafka: { ...engines, prefix: `${basename(folder)}.` } }));
});
