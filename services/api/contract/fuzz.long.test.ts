import { testAnswers } from './fuzz.contract.ts';

// Enough for each way of the document to be wrong.
testAnswers(45);
