import { testAnswers } from './fuzz.contract.ts';

testAnswers(10);
