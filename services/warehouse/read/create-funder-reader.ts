import type { FunderReader } from '../../investigate/model/funder-reader.ts';
import type { WarehouseClient } from '../../platform/warehouse-engine/warehouse.ts';
import { readFirstFunders, readFundedCounts } from './funders/first-funders.ts';
import { readUnderivedFrom } from './funders/underived-from.ts';

/** The funder reader over the derived tables. `client` needs only the right to read them. */
export const createFunderReader = (client: WarehouseClient): FunderReader => ({
  firstFunders: (...asked) => readFirstFunders(client, ...asked),
  underivedFrom: (_, ...asked) => readUnderivedFrom(client, ...asked),
  fundedCounts: (...asked) => readFundedCounts(client, ...asked),
});
