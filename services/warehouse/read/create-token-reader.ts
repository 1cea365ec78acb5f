import type { TokenReader } from '../../investigate/model/token-reader.ts';
import type { WarehouseClient } from '../../platform/warehouse-engine/warehouse.ts';
import { readFirstSeen } from './tokens/first-seen.ts';
import { readHolders } from './tokens/holders.ts';
import { readTokenBalances } from './tokens/token-balances.ts';
import { readTokenMovements } from './tokens/token-movements.ts';
import { readTrades } from './tokens/trades.ts';

/** The token reader over the tables. `client` needs only the right to read them. */
export const createTokenReader = (client: WarehouseClient): TokenReader => ({
  firstSeen: (request) => readFirstSeen(client, request),
  tokenMovements: (request) => readTokenMovements(client, request),
  holders: (request) => readHolders(client, request),
  balances: (request) => readTokenBalances(client, request),
  trades: (request) => readTrades(client, request),
});
