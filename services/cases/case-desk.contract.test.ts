import { testCases } from './case-desk.contract.ts';

testCases((folder) => ({ folder, kafka: null }));
