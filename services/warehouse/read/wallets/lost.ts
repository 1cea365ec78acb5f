import type { Lost, LostOf, ReadLimits, WalletSince } from '../../../investigate/model/transfer-reader.ts';
import type { WarehouseClient } from '../../../platform/warehouse-engine/warehouse.ts';
import { exactSum, toExactSum, VISIBLE_ROWS } from '../../sql-clauses.ts';
import { askTables } from '../ask-tables.ts';

/** Each wallet's rows since its own time: the range of the key is that of all. */
const query = (ownOnly: boolean): string => `
SELECT address, ${exactSum("kind = 'burn'")}, ${exactSum("kind = 'fee'")}
FROM account_entries
WHERE chain = {chain:String} AND address IN {wallets:Array(String)} AND direction = 'out'
  AND asset_family = {canonicalAsset:String} AND kind IN ('burn', 'fee')
  AND block_time >= toDateTime({since:UInt32}, 'UTC')
  AND toUnixTimestamp(block_time) >= {sinces:Array(UInt32)}[indexOf({wallets:Array(String)}, address)]
  ${ownOnly ? 'AND is_sender' : ''} AND ${VISIBLE_ROWS}
GROUP BY address`;

type Row = readonly [address: string, burnt: string, burntUpper: string, fees: string, feesUpper: string];

const NOTHING: Lost = { burntRaw: 0n, feesRaw: 0n };

/** One query over the wallets' outflows; one more for each further time that the same wallet is asked about. */
export const readLost = async (
  client: WarehouseClient,
  of: LostOf,
  asked: readonly WalletSince[],
  limits: ReadLimits,
): Promise<readonly Lost[]> => {
  const rounds: WalletSince[][] = [];
  for (const each of asked) {
    const free = rounds.find((round) => round.every(({ wallet }) => wallet !== each.wallet));
    if (free === undefined) rounds.push([each]);
    else free.push(each);
  }
  const told = new Map(
    (await Promise.all(rounds.map((round) => readRound(client, of, round, limits)))).flat(),
  );
  return asked.map((each) => told.get(each) ?? NOTHING);
};

const readRound = async (
  client: WarehouseClient,
  { chain, canonicalAsset, ownOnly }: LostOf,
  asked: readonly WalletSince[],
  limits: ReadLimits,
): Promise<(readonly [WalletSince, Lost])[]> => {
  const byWallet = new Map(asked.map((each) => [each.wallet, each]));
  const sinces = asked.map(({ sinceUnixSeconds }) => Math.max(0, sinceUnixSeconds));
  const since = sinces.reduce((a, b) => Math.min(a, b));
  const params = { chain, canonicalAsset, wallets: [...byWallet.keys()], sinces, since };
  const rows = await askTables<Row>(client, { query: query(ownOnly), params }, limits);
  return rows.flatMap(([address, burnt, burntUpper, fees, feesUpper]) => {
    const each = byWallet.get(address);
    const lost = { burntRaw: toExactSum(burnt, burntUpper), feesRaw: toExactSum(fees, feesUpper) };
    return each === undefined ? [] : [[each, lost] as const];
  });
};
