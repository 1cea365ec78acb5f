import type { LabelEvents, LabelIdentity } from '../../events/label-events.ts';
import type { AssertedLabel } from '../../investigate/model/label.ts';
import type { AppendRecord } from '../../platform/event-log/event-log.ts';
import type { WarehouseClient } from '../../platform/warehouse-engine/warehouse.ts';
import { VISIBLE_ROWS } from '../sql-clauses.ts';
import { DEPOSIT_CONFIDENCE_MAX, DEPOSIT_CONFIDENCE_STEP, DEPOSIT_LABEL_SOURCE } from './deposit-rules.ts';
import { type LaneRange, NEW_EVENTS, rangeParams } from './settled.ts';

/** A label of an address, and its key, after which the next page begins. */
type LabelledAddress = Pick<AssertedLabel, 'chain' | 'address'>;

type Deposit = LabelledAddress & {
  readonly name: string;
  readonly entity: string;
  readonly confidence: number;
  readonly sweeps: number;
  readonly senders: number;
  readonly forwarded_share: number;
  readonly collector: string;
  readonly seconds: number;
  readonly hash: string;
};

type Request = {
  readonly labels: Pick<LabelEvents, 'assert' | 'revoke'>;
  readonly append: (records: readonly AppendRecord[]) => Promise<unknown>;
  readonly nowUnixSeconds: number;
  /** Label events since the last comparison that was followed by a run; null to compare everything. */
  readonly since: readonly LaneRange[] | null;
  readonly signal: AbortSignal;
};

const PAGE = 1_000;

const PLACE = '(chain, address)';

/** How far back expired labels are checked. The next comparison comes much sooner, or compares everything. */
const ENDED_SECONDS = 86_400;

/**
 * Addresses that the last run judged, those with a new label since the last comparison, and those whose label
 * expired meanwhile.
 */
const TOUCHED = `${PLACE} IN (
    SELECT chain, address FROM deposit_candidates
    UNION ALL SELECT chain, address FROM labels
    WHERE (${NEW_EVENTS}) OR valid_to BETWEEN {now:Int64} - ${ENDED_SECONDS} AND {now:Int64})`;

/** A list's label, as the exchange's own or another party's, overrides what the behaviour shows. */
const held = (scope: string): string => `
  SELECT *, concat(entity, ' deposit') AS name, least(confidence, ${DEPOSIT_CONFIDENCE_MAX}) AS belief
  FROM deposit_addresses FINAL WHERE holds AND ${scope} AND ${PLACE} NOT IN (SELECT chain, address FROM hot_wallets)
    AND ${PLACE} NOT IN (
      SELECT chain, address FROM labels FINAL
      WHERE source != '${DEPOSIT_LABEL_SOURCE}' AND kind NOT IN ('exchange', 'other')
        AND (valid_to = 0 OR valid_to > {now:Int64}) AND ${scope})`;

const said = (scope: string): string => `
  SELECT chain, address, name, confidence FROM labels FINAL WHERE source = '${DEPOSIT_LABEL_SOURCE}' AND ${scope}`;

const BEHIND = `${PLACE} > ({chain:String}, {address:String})`;

/** Addresses that qualify and have no such label, or one with another confidence. */
const unsaid = (scope: string): string => `
WITH page AS
(
  SELECT h.* FROM (${held(scope)}) AS h
  LEFT ANY JOIN (${said(scope)}) AS s ON s.chain = h.chain AND s.address = h.address AND s.name = h.name
  WHERE s.address = '' OR abs(s.confidence - h.belief) >= ${DEPOSIT_CONFIDENCE_STEP}
  ORDER BY h.chain, h.address LIMIT ${PAGE}
)
SELECT p.chain AS chain, p.address AS address, p.name AS name, entity, belief AS confidence, sweeps, senders,
  forwarded_share, collector, toUnixTimestamp(last_sweep) AS seconds, t.hash AS hash
FROM page AS p
LEFT ANY JOIN
(
  SELECT chain, block_number, tx_index, tx_hash AS hash FROM transfers
  -- Of an abandoned block of the same number, too, there may be rows.
  WHERE (chain, block_number, tx_index) IN (SELECT chain, last_sweep_block, last_sweep_tx FROM page) AND ${VISIBLE_ROWS}
) AS t ON t.chain = p.chain AND t.block_number = p.last_sweep_block AND t.tx_index = p.last_sweep_tx
ORDER BY chain, address`;

/** Labels of addresses that do not qualify, or not for this exchange. */
const broken = (scope: string): string => `
SELECT s.chain AS chain, s.address AS address, s.name AS name FROM (${said(scope)}) AS s
LEFT ANTI JOIN (${held(scope)}) AS h ON h.chain = s.chain AND h.address = s.address AND h.name = s.name
ORDER BY chain, address LIMIT ${PAGE}`;

/**
 * Writes label events for the exchanges' deposit addresses, and revokes those that no longer hold. Compares
 * tables with tables, so earlier events must have reached them, or they are written twice. May be interrupted
 * and run again; then it compares everything.
 */
export const assertDepositLabels = async (
  client: WarehouseClient,
  { labels, append, nowUnixSeconds, since, signal }: Request,
): Promise<{ asserted: number; revoked: number }> => {
  const revoke = ({ chain, address, name }: LabelledAddress & { name: string }): AppendRecord =>
    labels.revoke({
      ...identityOf({ chain, address, name }),
      reason: 'it does not pass on what it gets to this exchange any more',
      revokedAt: nowUnixSeconds,
    });
  const scope = since === null ? BEHIND : `${BEHIND} AND ${TOUCHED}`;
  const params = { ...rangeParams(since ?? []), now: nowUnixSeconds };
  // Revocations first: an address that changed its exchange must not belong to both.
  const revoked = await forEachPage<LabelledAddress & { name: string }>(
    client,
    { query: broken(scope), params, signal },
    (page) => append(page.map(revoke)),
  );
  const asserted = await forEachPage<Deposit>(client, { query: unsaid(scope), params, signal }, (page) =>
    append(page.map((deposit) => labels.assert(toLabel(deposit)))),
  );
  return { asserted, revoked };
};

const forEachPage = async <Row extends LabelledAddress>(
  client: WarehouseClient,
  {
    query,
    params,
    signal,
  }: { query: string; params: Readonly<Record<string, unknown>>; signal: AbortSignal },
  take: (page: readonly Row[]) => Promise<unknown>,
): Promise<number> => {
  let last: LabelledAddress = { chain: '', address: '' };
  for (let count = 0; ; ) {
    signal.throwIfAborted();
    const { chain, address } = last;
    const answer = await client.query({
      query,
      query_params: { chain, address, ...params },
      format: 'JSONEachRow',
    });
    const page = await answer.json<Row>();
    if (page.length > 0) await take(page);
    count += page.length;
    last = page.at(-1) ?? last;
    if (page.length < PAGE) return count;
  }
};

const identityOf = (label: LabelledAddress & { name: string }): LabelIdentity => ({
  ...label,
  source: DEPOSIT_LABEL_SOURCE,
  kind: 'exchange',
  validFrom: null,
});

const toLabel = ({
  chain,
  address,
  name,
  entity,
  confidence,
  collector,
  seconds,
  ...d
}: Deposit): AssertedLabel => ({
  ...identityOf({ chain, address, name }),
  kind: 'exchange',
  entity,
  category: 'deposit address',
  creator: 'Spoor',
  confidence,
  validTo: null,
  inheritedFrom: collector,
  evidence: `${d.sweeps} sweeps, ${Math.round(100 * d.forwarded_share)} % of what ${d.senders} senders paid in; the last one in ${d.hash}`,
  assertedAt: seconds,
});
