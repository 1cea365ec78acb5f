import type { ResultOf } from '../../retrace/result.ts';
import type { TraceAnswer } from '../trace/answer.ts';

type Cell = string | number | boolean | null;
type Type = 'STRING' | 'DOUBLE' | 'BOOLEAN';

export const COLUMNS = {
  ...{ at: 'STRING', wallet: 'STRING', counterparty: 'STRING', signature: 'STRING', direction: 'STRING' },
  ...{ refused: 'STRING', entity: 'STRING', kind: 'STRING', scope: 'STRING' },
  ...{ anonymity_set: 'DOUBLE', candidates_total: 'DOUBLE', rank: 'DOUBLE', candidate: 'STRING' },
  ...{ confidence: 'DOUBLE', amount: 'DOUBLE', amount_raw: 'STRING', asset: 'STRING', time: 'DOUBLE' },
  ...{ delta_seconds: 'DOUBLE', candidate_signature: 'STRING', label: 'STRING', via: 'STRING' },
  ...{ same_wallet: 'BOOLEAN', evidence: 'STRING' },
} as const satisfies Record<string, Type>;
export type ResultRow = Readonly<Partial<Record<keyof typeof COLUMNS, Cell>>>;
export const NAMES = Object.keys(COLUMNS) as (keyof typeof COLUMNS)[];

type RowSource = {
  /** The anchor's identifier, as the caller knows it. */
  readonly at: string;
  readonly body: Readonly<Record<'wallet' | 'counterparty' | 'signature' | 'direction', string>>;
} & ResultOf<Omit<TraceAnswer, 'window'>>;

/** One row for each candidate, or one for an anchor that has none or was refused. */
export const toRows = (result: RowSource): ResultRow[] => {
  const { wallet, counterparty, signature, direction } = result.body;
  const anchor = { at: result.at, wallet, counterparty, signature, direction };
  if ('refused' in result) return [{ ...anchor, refused: result.refused.code }];
  const { entity, kind, anonymity_set, candidates_total, candidates, meta } = result.answer;
  const found = { ...anchor, entity, kind, scope: meta.scope, anonymity_set, candidates_total };
  if (candidates.length === 0) return [found];
  return candidates.map((candidate, at) => ({
    ...found,
    rank: at + 1,
    candidate: candidate.address,
    confidence: candidate.confidence,
    amount: candidate.amount,
    amount_raw: candidate.amount_raw,
    asset: candidate.asset,
    time: candidate.time,
    delta_seconds: candidate.delta_seconds,
    candidate_signature: candidate.signature,
    label: candidate.label,
    via: candidate.via,
    same_wallet: candidate.same_wallet,
    evidence: candidate.evidence.map(({ family }) => family).join(' '),
  }));
};
