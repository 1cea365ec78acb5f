import type { CaseReader } from '../../investigate/model/case-reader.ts';
import type { WarehouseClient } from '../../platform/warehouse-engine/warehouse.ts';
import { readFirstReceipts } from './cases/first-receipts.ts';
import { readHandled } from './cases/handled.ts';
import { readImitated } from './cases/imitated.ts';
import { readPayments } from './cases/payments.ts';
import { readReceipts, readSigned } from './cases/receipts.ts';
import { readTakenFrom } from './cases/taken-from.ts';
import { readMovementsAt } from './transactions/transaction-rows.ts';

/** The case reader over the tables. `client` needs only the right to read them. */
export const createCaseReader = (client: WarehouseClient): CaseReader => ({
  receipts: (...asked) => readReceipts(client, ...asked),
  signed: (...asked) => readSigned(client, ...asked),
  movementsAt: (...asked) => readMovementsAt(client, ...asked),
  payments: (...asked) => readPayments(client, ...asked),
  imitated: (...asked) => readImitated(client, ...asked),
  handled: (...asked) => readHandled(client, ...asked),
  takenFrom: (...asked) => readTakenFrom(client, ...asked),
  firstReceipts: (...asked) => readFirstReceipts(client, ...asked),
});
