import type { TokenReader } from '../../investigate/model/token-reader.ts';
import type { WarehouseClient } from '../../platform/warehouse-engine/warehouse.ts';
import { readFirstSeen } from './tokens/first-seen.ts';
import { readHolders } from './tokens/holders.ts';
import { readTokenMovements } from './tokens/token-movements.ts';
import { readTrades } from './tokens/trades.ts';
import { readBalances } from './wallets/balance.ts';

/** The token reader over the tables. `client` needs only the right to read them. */
export const createTokenReader = (client: WarehouseClient): TokenReader => ({
  firstSeen: (...asked) => readFirstSeen(client, ...asked),
  tokenMovements: (...asked) => readTokenMovements(client, ...asked),
  holders: (...asked) => readHolders(client, ...asked),
  balance: (...asked) => readBalances(client, ...asked),
  trades: (...asked) => readTrades(client, ...asked),
});
