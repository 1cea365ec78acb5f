import { testJobs } from './work-on-jobs.contract.ts';

testJobs((folder) => ({ folder, kafka: null }));
