import { testHistories } from './test-histories.ts';

testHistories(1_000);
