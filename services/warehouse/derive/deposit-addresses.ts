import { CHAINS } from '../../investigate/model/chain.ts';
import { HAND_OVER_KINDS_LISTED } from '../sql-clauses.ts';
import { CANDIDATE_RULES, findDepositCandidates, hashHotWallets } from './deposit-candidates.ts';
import {
  COIN_LEFT_MAX,
  FORWARDED_SHARE_MIN,
  FROM_EXCHANGE_SHARE_MAX,
  LITTLE_DOLLARS,
  SENDERS_MAX,
  SENDERS_SHARE,
  STRAY_SHARE_MAX,
  STRAYS_MAX,
  SWEEP_LATEST_SECONDS,
  SWEEP_T_MAX_SECONDS,
  SWEEPS_MIN,
  TOKEN_LEFT_PARTS,
} from './deposit-rules.ts';
import { type Derivation, derive } from './derivation.ts';
import { SETTLED_ROWS, SETTLED_TIMES } from './settled.ts';
import { aboutDollars, isOfWorth, isOwnDoing, WORTH_PARAMS } from './worth.ts';

/** Candidates judged in one statement. Limits its memory, because all their entries are sorted. */
const CANDIDATES_EACH = 200_000;

/**
 * Payments of worthless tokens that the address did not send itself. On Solana it signed those without
 * another authority; on EVM chains a contract can fake them (docs/decisions/0014-derived-and-prices.md).
 */
const SPONSORED = `
  SELECT chain, block_number, tx_index, index, sequence FROM account_entries
  PREWHERE chain IN (SELECT chain FROM candidates) AND address IN (SELECT address FROM candidates)
  WHERE (chain, address) IN (SELECT chain, address FROM candidates) AND direction = 'out' AND NOT is_sender
    AND chain NOT IN {evm:Array(String)} AND kind IN (${HAND_OVER_KINDS_LISTED}) AND NOT ${isOfWorth('asset_family')}`;

/**
 * A sender who logs a fake transfer of his own token and sends dust back must not make an address look like a
 * trader.
 */
const OWN_SWAP = `(owner = sender OR ${isOfWorth('gave_family')}
          OR ${aboutDollars('got_amount', 'got_family')} > ${LITTLE_DOLLARS})`;

/**
 * 2^200: sums of this many units neither wrap at 256 bits nor become negative as signed numbers. Only a lying
 * contract logs more.
 */
const AMOUNT_MAX = `toUInt256('${2n ** 200n}')`;

/**
 * One row for each candidate, with or without a result. Its entries are divided into rounds that each end
 * with a sweep of one asset: inflow, swept amount, and remainder. Cheap actions of others, such as dust and
 * worthless tokens that the address did not move itself, neither help nor prevent it from qualifying.
 */
const JUDGEMENT = `
INSERT INTO deposit_addresses
WITH
candidates AS (SELECT chain, address FROM deposit_candidates WHERE cityHash64(address) % {shards:UInt64} = {shard:UInt64}),
times AS (${SETTLED_TIMES}),
signed AS
(
  SELECT chain, block_number, tx_index, index, sequence FROM transfers
  WHERE (chain, block_number, tx_index, index, sequence) IN (${SPONSORED}) AND authority = ''
),
entries AS
(
  SELECT e.*, h.entity AS entity,
    transform(toString(chain), {coin_chains:Array(String)}, {coin_left_max:Array(Float64)}, 0.) AS coin_left_max,
    -- A drop of the coin is gas for the next sweep, or dust.
    is_in AND is_hand_over AND (asset_family != 'native' OR amount > coin_left_max) AS is_receipt,
    is_hand_over AND NOT is_in AND (${isOwnDoing('is_sender')}
      OR (chain, block_number, tx_index, index, sequence) IN (SELECT chain, block_number, tx_index, index, sequence FROM signed)) AS is_payment,
    is_payment AND entity != '' AS is_sweep,
    is_payment AND entity = '' AS is_stray
  FROM
  (
    SELECT own.*, t.now AS now FROM
    (
      SELECT chain, address, asset_family, block_time, block_number, tx_index, index, counterparty, is_sender, sequence,
        least(amount, ${AMOUNT_MAX}) AS amount,
        direction = 'in' AS is_in,
        kind IN (${HAND_OVER_KINDS_LISTED}) AND amount > 0 AND counterparty NOT IN ('', address) AS is_hand_over
      FROM account_entries
      -- Most of what is read belongs to neighbours in the key; two sets tell them apart in half the time of a set of pairs.
      PREWHERE chain IN (SELECT chain FROM candidates) AND address IN (SELECT address FROM candidates)
      WHERE (chain, address) IN (SELECT chain, address FROM candidates) AND ${SETTLED_ROWS}
    ) AS own
    LEFT ANY JOIN times AS t ON t.chain = own.chain
  ) AS e
  LEFT ANY JOIN hot_wallets AS h ON h.chain = e.chain AND h.address = e.counterparty
),
numbered AS
(
  SELECT *, toUnixTimestamp(block_time) AS seconds,
    -- Sweeps before this row.
    sum(is_sweep) OVER (PARTITION BY chain, address, asset_family ORDER BY block_number, tx_index, index
      ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) - is_sweep AS round,
    -- The chain's clock, not the address's: one that takes its last payment and keeps it does nothing more.
    is_receipt AND seconds < now - ${SWEEP_LATEST_SECONDS} AS is_overdue
  FROM entries
),
rounds AS
(
  SELECT chain, address, asset_family, round,
    sumIf(amount, is_sweep) AS swept,
    sumIf(amount, is_receipt) AS got,
    sumIf(amount, is_overdue) AS overdue,
    minIf(seconds, is_receipt AND NOT is_overdue) AS due_next,
    sumIf(amount, is_receipt AND entity != '') AS got_from_hot,
    countIf(is_receipt) AS receipts,
    countIf(is_stray) AS strays,
    sumIf(amount, is_stray) AS strayed,
    sumMapIf([counterparty], [amount], is_receipt AND entity = '') AS paid,
    sum(if(is_in, toInt256(amount), -toInt256(amount))) AS net,
    toFloat64(abs(net)) AS left_behind,
    if(asset_family = 'native', any(coin_left_max), toFloat64(got) / ${TOKEN_LEFT_PARTS}) AS left_max,
    maxIf(seconds, is_sweep) AS swept_at,
    greatest(0, swept_at - sumIf(seconds * toFloat64(amount), is_receipt) / toFloat64(got)) AS waited,
    swept > 0 AND got > 0 AND left_behind <= left_max AND waited <= ${SWEEP_LATEST_SECONDS} AS is_clean,
    (greatest(0, 1 - waited / ${SWEEP_T_MAX_SECONDS}) + 1 - left_behind / left_max) / 2 AS belief,
    maxIf(entity, is_sweep) AS exchange,
    countIf(is_sweep AND NOT is_sender) AS sponsored,
    maxIf((block_number, tx_index, counterparty), is_sweep) AS sweep
  FROM numbered GROUP BY chain, address, asset_family, round
),
by_asset AS
(
  SELECT chain, address,
    sum(swept) > 0 AS is_swept,
    toFloat64(sum(if(swept > 0, got, overdue))) AS due,
    toFloat64(sumIf(swept, is_clean)) AS forwarded,
    if(due > 0, least(1, forwarded / due), 0) AS share,
    is_swept AND share >= ${FORWARDED_SHARE_MIN} AS is_forwarded,
    -- What was never swept may have been spent on fees.
    if(is_swept, greatest(0, due - forwarded), greatest(0, least(due, toFloat64(sum(net))))) AS kept,
    ${aboutDollars('kept', 'asset_family')} AS kept_dollars,
    ${aboutDollars('forwarded', 'asset_family')} AS forwarded_dollars,
    if(due > 0, toFloat64(sum(got_from_hot)) / due, 0) AS from_hot,
    sum(strays) AS all_strays,
    if(sum(got) > 0, toFloat64(sum(strayed)) / toFloat64(sum(got)), 0) AS strayed_share,
    ${isOfWorth('asset_family')} AS is_of_worth,
    minIf(due_next, swept = 0 AND due_next > 0) AS next_due,
    countIf(swept > 0) AS payments,
    countIf(is_clean) AS clean,
    sumIf(belief, is_clean) AS beliefs,
    sumIf(sponsored, is_clean) AS all_sponsored,
    sumMap(paid.1, paid.2) AS all_paid,
    arrayReverseSort(all_paid.2) AS sums,
    sums[arrayFirstIndex(each -> toFloat64(each) >= ${SENDERS_SHARE} * toFloat64(arraySum(sums)), arrayCumSum(sums))] AS least_sum,
    arrayFilter((payer, each) -> each >= least_sum, all_paid.1, all_paid.2) AS main_payers,
    groupUniqArrayIf(exchange, swept > 0) AS exchanges,
    minIf(swept_at, is_clean) AS first_at, maxIf(swept_at, is_clean) AS last_at, maxIf(sweep, is_clean) AS last_one
  FROM rounds GROUP BY chain, address, asset_family
),
by_address AS
(
  SELECT chain, address,
    arrayDistinct(groupArrayArray(exchanges)) AS entities,
    sumIf(clean, is_forwarded) AS sweeps,
    minIf(share, is_forwarded) AS forwarded_share,
    length(groupUniqArrayArrayIf(main_payers, is_forwarded)) AS senders,
    sumIf(beliefs, is_forwarded) / sweeps AS confidence,
    sumIf(all_sponsored, is_forwarded) / sweeps AS sponsored_share,
    minIf(next_due, next_due > 0 AND (is_swept OR is_of_worth)) AS earliest_due, if(earliest_due > 0, earliest_due + ${SWEEP_LATEST_SECONDS}, 0) AS look_again,
    minIf(first_at, is_forwarded AND clean > 0) AS first_sweep, maxIf(last_at, is_forwarded) AS last_sweep, maxIf(last_one, is_forwarded) AS last,
    sum(all_strays) AS strays,
    sweeps >= ${SWEEPS_MIN} AND (sum(kept_dollars) <= ${LITTLE_DOLLARS}
        OR sum(forwarded_dollars) >= ${FORWARDED_SHARE_MIN} * sum(forwarded_dollars + kept_dollars))
      AND senders BETWEEN 1 AND ${SENDERS_MAX}
      AND length(entities) = 1
      AND maxIf(from_hot, is_swept) <= ${FROM_EXCHANGE_SHARE_MAX}
      AND strays <= ${STRAYS_MAX}
      AND strays <= ${STRAY_SHARE_MAX} * (strays + sum(payments))
      AND maxIf(strayed_share, is_swept OR is_of_worth) <= ${STRAY_SHARE_MAX}
      AND (chain, address) NOT IN (
        SELECT chain, owner FROM swaps
        WHERE (chain, owner) IN (SELECT chain, address FROM candidates) AND ${SETTLED_ROWS} AND ${OWN_SWAP}) AS holds
  FROM by_asset GROUP BY chain, address
)
SELECT chain, address, entities[1], holds, if(holds, confidence, 0), sweeps, strays, senders, forwarded_share,
  if(holds, sponsored_share, 0), last.3, first_sweep, last_sweep, last.1, last.2, look_again
FROM by_address`;

const JUDGEMENT_PARAMS = {
  ...WORTH_PARAMS,
  coin_chains: CHAINS.map(({ name }) => name),
  coin_left_max: CHAINS.map(({ native }) => COIN_LEFT_MAX * 10 ** native.decimals),
};

export const depositAddresses: Derivation = {
  name: 'deposit-addresses',
  rules: [CANDIDATE_RULES, JUDGEMENT, JUDGEMENT_PARAMS],
  // Judges every address in its table again. Labels stay as they are meanwhile.
  tables: [],
  inputs: hashHotWallets,
  run: async (run) => {
    const shards = Math.ceil((await findDepositCandidates(run)) / CANDIDATES_EACH);
    for (let shard = 0; shard < shards; shard += 1) {
      await derive(run, JUDGEMENT, { ...JUDGEMENT_PARAMS, shard, shards });
    }
  },
};
