import type { AnalystView } from '../analyst-view.ts';
import { KEY_FORM } from '../show-address.ts';
import { CHAIN } from './movements.ts';

const NAME = 'LowCardinality(String)';

export const RETRACE_RESULTS: AnalystView = {
  name: 'retrace_results',
  comment:
    'What jobs that trace many transfers have found, as far as it is charged or free: a row for each candidate, or one where there is none. Kept 29 days. Key: job_id, run, place, rank.',
  columns: [
    ['job_id', 'String', 'as POST /retrace gave it'],
    ['run', 'UInt32', 'from 1; from the second on only anchors whose answer changed'],
    ['place', 'UInt32', 'of the traced transfer in the request, from 0'],
    ['rank', 'Nullable(UInt16)', 'of the candidate, from 1; null: there is none'],
    ['found_time', "DateTime('UTC')", 'when it was found'],
    CHAIN,
    ['wallet', 'String', `whose transfer is traced: ${KEY_FORM}`],
    ['counterparty', 'String', `the address of the mixer or exchange: ${KEY_FORM}`],
    ['tx_hash', 'String', 'the transfer that is traced'],
    ['direction', NAME, 'out: the wallet paid in; in: it was paid'],
    ['refused', 'Nullable(String)', 'the code that says why it cannot be traced; null: it is traced'],
    ['entity', 'Nullable(String)', 'name of the mixer or exchange'],
    ['kind', 'Nullable(String)', 'mixer or exchange'],
    ['scope', 'Nullable(String)', 'how much of what is needed is indexed, as in the answer'],
    ['anonymity_set', 'Nullable(UInt32)', 'transfers that fit'],
    ['candidates_total', 'Nullable(UInt32)', 'all candidates, listed or not'],
    ['candidate', 'Nullable(String)', `the wallet on the other side: ${KEY_FORM}`],
    ['confidence', 'Nullable(Float64)', 'calibrated probability that both have one owner'],
    ['amount', 'Nullable(Float64)', 'what the candidate moved, in whole units, rounded as in the answer'],
    ['amount_raw', 'Nullable(UInt256)', 'the same, exact, in the smallest units of the asset'],
    ['symbol', 'Nullable(String)', 'of the asset, else its address'],
    ['candidate_time', "Nullable(DateTime('UTC'))", 'when the candidate moved it'],
    ['delta_seconds', 'Nullable(Int64)', 'seconds between it and the traced transfer'],
    ['candidate_tx_hash', 'Nullable(String)', 'the candidate’s transaction with the service'],
    ['label', 'Nullable(String)', 'of the candidate, as the answer says it'],
    ['via', 'Nullable(String)', `deposit address in between: ${KEY_FORM}`],
    ['is_same_wallet', 'Nullable(Bool)', 'whether the candidate is the traced wallet'],
    ['evidence', 'Array(LowCardinality(String))', 'families of evidence; empty: only amount and time fit'],
  ],
  query: (database) => {
    const ofTrace = (column: string): string => `if(r.refused = '', r.${column}, NULL) AS ${column}`;
    const ofCandidate = (column: string): string => `if(r.rank > 0, r.${column}, NULL) AS ${column}`;
    const named = (column: string): string => `nullIf(toString(r.${column}), '') AS ${column}`;
    return `
SELECT r.job_id AS job_id, r.run AS run, r.place AS place, nullIf(r.rank, 0) AS rank, r.found_time AS found_time,
  r.chain AS chain, r.wallet AS wallet, r.counterparty AS counterparty, r.tx_hash AS tx_hash, r.direction AS direction,
  ${['refused', 'entity', 'kind', 'scope'].map(named).join(', ')},
  ${['anonymity_set', 'candidates_total'].map(ofTrace).join(', ')},
  ${['candidate', 'symbol', 'candidate_tx_hash', 'label', 'via'].map(named).join(', ')},
  ${['confidence', 'amount', 'amount_raw', 'candidate_time', 'delta_seconds', 'is_same_wallet'].map(ofCandidate).join(', ')},
  r.evidence AS evidence
FROM (SELECT * FROM ${database}.retrace_results FINAL) AS r
WHERE NOT r.is_priced OR (r.job_id, r.run, r.place) IN (SELECT job_id, run, place FROM ${database}.retrace_charges)`;
  },
};
