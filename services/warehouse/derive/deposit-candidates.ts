import { HAND_OVER_KINDS } from '../../investigate/model/transfer-reader.ts';
import type { WarehouseClient } from '../../platform/warehouse-engine/warehouse.ts';
import { DEPOSIT_LABEL_SOURCE, STRAY_SHARE_MAX, STRAYS_MAX, SWEEPS_MIN } from './deposit-rules.ts';
import { type DerivationRun, derive, refill } from './derivation.ts';
import { NEW_BLOCKS, NEW_EVENTS, SETTLED_ROWS, SETTLED_TIMES } from './settled.ts';

const KINDS = HAND_OVER_KINDS.map((kind) => `'${kind}'`).join(', ');

/**
 * Wallets of exchanges that lists name: what follows from deposit addresses must not feed on itself. Lists name deposit
 * addresses, too; whoever pays into one is a customer.
 */
const HOT_WALLETS = `
  SELECT chain, address, any(entity) AS entity FROM service_wallets FINAL
  WHERE kind = 'exchange' AND (chain, address) IN
  (
    SELECT chain, address FROM labels FINAL
    WHERE kind = 'exchange' AND entity != '' AND source != '${DEPOSIT_LABEL_SOURCE}'
    GROUP BY chain, address HAVING NOT max(match(name, '(?i)(^|[^a-z])dep(osit)?([^a-z]|$)') OR match(category, '(?i)deposit'))
  )
  GROUP BY chain, address`;

const HOT = 'SELECT chain, address FROM hot_wallets';

/** Whoever paid a hot wallet often enough. */
const ALL_PAYERS = `
  SELECT chain, counterparty FROM account_entries
  WHERE (chain, address) IN (${HOT}) AND direction = 'in' AND kind IN (${KINDS}) AND counterparty != '' AND ${SETTLED_ROWS}
  GROUP BY chain, counterparty HAVING count() >= ${SWEEPS_MIN}`;

/** Who paid a hot wallet just now: nobody becomes a candidate but by a sweep. */
const NEW_PAYERS = `
  SELECT DISTINCT chain, from_address FROM transfers
  WHERE (chain, block_number) IN (${NEW_BLOCKS}) AND ${NEW_EVENTS} AND kind IN (${KINDS}) AND from_address != ''
    AND (chain, to_address) IN (${HOT})`;

/** What those paid, to exchanges and to others; who is known to pay too many others is not looked at again. */
const payments = (isFirst: boolean): string => `
INSERT INTO payers
SELECT chain, address, countIf((chain, counterparty) IN (${HOT})) AS sweeps, count() - sweeps AS strays FROM account_entries
WHERE (chain, address) IN (${isFirst ? ALL_PAYERS : NEW_PAYERS}) AND direction = 'out'
  AND kind IN (${KINDS}) AND amount > 0 AND counterparty NOT IN ('', address) AND ${SETTLED_ROWS}
  AND (chain, address) NOT IN (SELECT chain, address FROM busy_payers) AND (chain, address) NOT IN (${HOT})
GROUP BY chain, address`;

const BUSY = `INSERT INTO busy_payers SELECT chain, address FROM payers WHERE strays > ${STRAYS_MAX}`;

const TOUCHED = `
  SELECT DISTINCT chain, arrayJoin([from_address, to_address]) FROM transfers
  WHERE (chain, block_number) IN (${NEW_BLOCKS}) AND ${NEW_EVENTS}`;

/** Money that waits for its sweep is overdue from then on, though the address itself did nothing. */
const OVERDUE = `
  SELECT d.chain, d.address FROM (SELECT chain, address, look_again FROM deposit_addresses FINAL WHERE look_again > 0) AS d
  ANY JOIN (${SETTLED_TIMES}) AS t ON t.chain = d.chain WHERE t.now > toUnixTimestamp(d.look_again)`;

/**
 * Addresses worth judging: those that sweep, and those that were judged before and did anything since or let a sweep pass. Whoever pays others
 * too often cannot hold: a busy trader's entries need no sorting.
 */
const candidates = (isFirst: boolean): string => `
INSERT INTO deposit_candidates
SELECT DISTINCT chain, address FROM
(
  SELECT chain, address FROM payers
  WHERE sweeps >= ${SWEEPS_MIN} AND strays <= ${STRAY_SHARE_MAX} * (strays + sweeps) AND strays <= ${STRAYS_MAX}
  UNION ALL
  SELECT chain, address FROM deposit_addresses FINAL
  ${
    isFirst
      ? ''
      : `WHERE (holds OR (chain, address) NOT IN (SELECT chain, address FROM busy_payers)) AND (chain, address) IN (${TOUCHED})
  UNION ALL ${OVERDUE}`
  }
)
WHERE (chain, address) NOT IN (${HOT})
  AND (chain, address) NOT IN (SELECT chain, address FROM service_wallets FINAL WHERE kind != 'exchange')`;

/** Fills `hot_wallets` and `deposit_candidates`, which belong to one run, and says how many candidates there are. */
export const findDepositCandidates = async (run: DerivationRun): Promise<number> => {
  await refill(run, 'hot_wallets', `INSERT INTO hot_wallets ${HOT_WALLETS}`);
  // Whom other hot wallets made busy may sweep to what is a hot wallet now.
  if (run.isFirst) await run.client.command({ query: 'TRUNCATE TABLE busy_payers' });
  await refill(run, 'payers', payments(run.isFirst));
  await derive(run, BUSY);
  await refill(run, 'deposit_candidates', candidates(run.isFirst));
  return Number(await askOne(run.client, 'SELECT count() FROM deposit_candidates'));
};

/** Changes with the wallets that lists name, and with nothing else. */
export const hashHotWallets = (client: WarehouseClient): Promise<string> =>
  askOne(client, `SELECT toString(sum(cityHash64(chain, address, entity))) FROM (${HOT_WALLETS})`);

const askOne = async (client: WarehouseClient, query: string): Promise<string> => {
  const answer = await client.query({ query, format: 'JSONCompactEachRow' });
  const [row] = await answer.json<[string]>();
  return row?.[0] ?? '0';
};
