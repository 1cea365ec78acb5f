import { DEPOSIT_NAME } from '../../investigate/model/label.ts';
import type { WarehouseClient } from '../../platform/warehouse-engine/warehouse.ts';
import { HAND_OVER_KINDS_LISTED } from '../sql-clauses.ts';
import { DEPOSIT_LABEL_SOURCE, STRAY_SHARE_MAX, STRAYS_MAX, SWEEPS_MIN } from './deposit-rules.ts';
import { askOne, type DerivationRun, derive, refill } from './derivation.ts';
import { NEW_BLOCKS, NEW_ROWS, SETTLED_ROWS, SETTLED_TIMES } from './settled.ts';
import { isOwnDoing, mayBeOwnDoing, WORTH_PARAMS } from './worth.ts';

/** Whether these numbers of sweeps and of payments to others fit a deposit address. */
function isPromising(sweeps: string, strays: string): string {
  return `${sweeps} >= ${SWEEPS_MIN} AND ${strays} <= ${STRAY_SHARE_MAX} * (${strays} + ${sweeps}) AND ${strays} <= ${STRAYS_MAX}`;
}

/**
 * Exchanges' wallets from lists only, because conclusions from derived deposit addresses must not reinforce
 * themselves, and on every chain of their keys. Lists also name deposit addresses, and a payer of one is a customer.
 */
const HOT_WALLETS = `
  SELECT chain, address, any(entity) AS entity FROM service_wallets FINAL
  WHERE kind = 'exchange' AND address IN
  (
    SELECT address FROM labels FINAL
    WHERE kind = 'exchange' AND entity != '' AND source != '${DEPOSIT_LABEL_SOURCE}'
    GROUP BY address HAVING NOT max(match(name, '(?i)${DEPOSIT_NAME}') OR match(category, '(?i)deposit'))
  )
  GROUP BY chain, address`;

const HOT = 'SELECT chain, address FROM hot_wallets';

const PAYMENT = `kind IN (${HAND_OVER_KINDS_LISTED}) AND amount > 0`;

/**
 * For each payer of hot wallets: an upper bound of its payments to them, and a lower bound of those to
 * others. One scan in key order.
 */
const ALL_PAYERS = `
INSERT INTO payers
SELECT chain, address, countIf(is_hot) AS sweeps, countIf(NOT is_hot AND ${isOwnDoing('is_sender')}) AS strays
FROM (SELECT *, (chain, counterparty) IN (${HOT}) AS is_hot FROM account_entries)
WHERE direction = 'out' AND ${PAYMENT} AND counterparty NOT IN ('', address) AND ${SETTLED_ROWS}
  AND ${mayBeOwnDoing('is_sender')} AND (chain, address) NOT IN (${HOT})
GROUP BY chain, address HAVING sweeps > 0
SETTINGS optimize_aggregation_in_order = 1`;

/**
 * Only a sweep makes an address a candidate. Counting one twice after a crash costs only an extra check of
 * its address.
 */
const NEW_PAYERS = `
INSERT INTO new_payers
SELECT chain, from_address, count() FROM transfers
WHERE ${NEW_ROWS} AND ${PAYMENT} AND from_address NOT IN ('', to_address)
  AND (chain, to_address) IN (${HOT}) AND (chain, from_address) NOT IN (${HOT})
  AND ${mayBeOwnDoing('from_address = sender')}
GROUP BY chain, from_address`;

const ADD_SWEEPS = 'INSERT INTO payers SELECT chain, address, sweeps, 0 FROM new_payers';

/** Wallets that just paid a hot wallet and pay hardly anybody else, as far as known. */
const PROMISING = `
  SELECT chain, address FROM payers WHERE (chain, address) IN (SELECT chain, address FROM new_payers)
  GROUP BY chain, address HAVING ${isPromising('sum(sweeps)', 'max(strays)')}`;

/** Those of them that were never judged. Addresses that were judged before are judged in any case. */
const UNJUDGED = `
  ${PROMISING} AND (chain, address) NOT IN (
    SELECT chain, address FROM deposit_addresses WHERE (chain, address) IN (SELECT chain, address FROM new_payers))`;

/**
 * Counts their payments to others. The count only grows, so an address that often pays others is checked
 * again only after many more sweeps, and its old rows are read only a few times. (An address that qualifies
 * on several chains is counted on all of them.)
 */
const ADD_STRAYS = `
INSERT INTO payers
SELECT chain, address, 0, count() FROM account_entries
PREWHERE chain IN (SELECT chain FROM new_payers) AND address IN (SELECT address FROM (${UNJUDGED}))
WHERE direction = 'out' AND ${PAYMENT} AND ${isOwnDoing('is_sender')}
  AND counterparty NOT IN ('', address) AND (chain, counterparty) NOT IN (${HOT}) AND ${SETTLED_ROWS}
GROUP BY chain, address`;

/** Includes replaced blocks, because the address' transactions in them never happened. */
const TOUCHED = `
  SELECT DISTINCT chain, arrayJoin([from_address, to_address]) FROM transfers
  WHERE (chain, block_number) IN (${NEW_BLOCKS})`;

/** Money that waits for its sweep is overdue from then on, even if the address did nothing. */
const OVERDUE = `
  SELECT d.chain, d.address FROM (SELECT chain, address, look_again FROM deposit_addresses FINAL WHERE look_again > 0) AS d
  ANY JOIN (${SETTLED_TIMES}) AS t ON t.chain = d.chain WHERE t.now > toUnixTimestamp(d.look_again)`;

/**
 * Addresses worth judging: those that sweep, and judged ones that were active since or are overdue. An
 * address that paid others too often cannot qualify any more.
 */
const candidates = (isFirst: boolean): string => `
INSERT INTO deposit_candidates
SELECT DISTINCT chain, address FROM
(
  ${
    isFirst
      ? `SELECT chain, address FROM payers WHERE ${isPromising('sweeps', 'strays')}
  UNION ALL
  SELECT chain, address FROM deposit_addresses FINAL`
      : `${PROMISING}
  UNION ALL
  SELECT chain, address FROM deposit_addresses FINAL WHERE strays <= ${STRAYS_MAX} AND (chain, address) IN (${TOUCHED})
  UNION ALL ${OVERDUE}`
  }
)
WHERE (chain, address) NOT IN (${HOT})
  AND (chain, address) NOT IN (SELECT chain, address FROM service_wallets FINAL WHERE kind != 'exchange')`;

export const CANDIDATE_RULES: readonly string[] = [HOT_WALLETS, ALL_PAYERS, candidates(true)];

/**
 * Fills `hot_wallets` and `deposit_candidates`, two tables of this run, and returns the number of candidates.
 */
export const findDepositCandidates = async (run: DerivationRun): Promise<number> => {
  await refill(run, 'hot_wallets', `INSERT INTO hot_wallets ${HOT_WALLETS}`);
  if (run.isFirst) {
    // Addresses that were skipped because other hot wallets made them busy may sweep to a new hot wallet.
    await refill(run, 'payers', ALL_PAYERS, WORTH_PARAMS);
  } else {
    await refill(run, 'new_payers', NEW_PAYERS, WORTH_PARAMS);
    await derive(run, ADD_SWEEPS);
    await derive(run, ADD_STRAYS, WORTH_PARAMS);
  }
  await refill(run, 'deposit_candidates', candidates(run.isFirst));
  return Number(await askOne(run.client, 'SELECT count() FROM deposit_candidates'));
};

/** Changes with the wallets that lists name. */
export const hashHotWallets = (client: WarehouseClient): Promise<string> =>
  askOne(client, `SELECT toString(sum(cityHash64(chain, address, entity))) FROM (${HOT_WALLETS})`);
