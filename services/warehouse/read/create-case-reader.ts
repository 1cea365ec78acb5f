import type { CaseReader } from '../../investigate/model/case-reader.ts';
import type { WarehouseClient } from '../../platform/warehouse-engine/warehouse.ts';
import { readFirstReceipts } from './cases/first-receipts.ts';
import { readHandled } from './cases/handled.ts';
import { readImitated } from './cases/imitated.ts';
import { readMovementsAt } from './cases/movements-at.ts';
import { readPayments } from './cases/payments.ts';
import { readReceipts, readSigned } from './cases/receipts.ts';
import { readTakenFrom } from './cases/taken-from.ts';

/** The case reader over the tables. `client` needs only the right to read them. */
export const createCaseReader = (client: WarehouseClient): CaseReader => ({
  receipts: (request) => readReceipts(client, request),
  signed: (request) => readSigned(client, request),
  movementsAt: (request) => readMovementsAt(client, request),
  payments: (request) => readPayments(client, request),
  imitated: (request) => readImitated(client, request),
  handled: (request) => readHandled(client, request),
  takenFrom: (request) => readTakenFrom(client, request),
  firstReceipts: (request) => readFirstReceipts(client, request),
});
