import { basename } from 'node:path';
import { describeOnEngines } from '../testing/engines/describe-on-engines.ts';
import { testCases } from './case-desk.contract.ts';

describeOnEngines('cases on a real broker and registry', (engines) => {
  testCases((folder) => ({ folder, kafka: { ...engines, prefix: `${basename(folder)}.` } }));
});
