import { toRows } from '../../api/retrace/result-rows.ts';
import { guessChainFamily } from '../../investigate/model/address.ts';
import type { TracedWave } from '../../retrace/result-sink.ts';
import type { KeptResult } from '../../retrace/work-on-jobs.ts';

/** An address or a hash as tables hold it. */
const toKey = (text: string): string => (text.startsWith('0x') ? text.toLowerCase() : text);

/** The rows of `retrace_results` for one anchor. */
export const retraceRows = (wave: TracedWave, result: KeptResult): readonly object[] => {
  const { wallet, chain = guessChainFamily(String(wallet)) === 'evm' ? 'ethereum' : 'solana' } =
    result.anchor;
  // A page stores what was presented as the documented answer.
  const rows = toRows({ ...result, at: '', body: result.anchor } as never);
  return rows.map((row) => ({
    job_id: wave.jobId,
    run: wave.run,
    place: result.place,
    rank: row.rank ?? 0,
    found_time: Math.floor(wave.foundUnixMs / 1_000),
    is_priced: wave.priced.has(result.place),
    chain,
    wallet: toKey(String(row.wallet)),
    counterparty: toKey(String(row.counterparty)),
    tx_hash: toKey(String(row.signature)),
    direction: row.direction,
    refused: row.refused ?? '',
    entity: row.entity ?? '',
    kind: row.kind ?? '',
    scope: row.scope ?? '',
    anonymity_set: row.anonymity_set ?? 0,
    candidates_total: row.candidates_total ?? 0,
    candidate: toKey(String(row.candidate ?? '')),
    confidence: row.confidence ?? 0,
    amount: row.amount ?? 0,
    amount_raw: row.amount_raw ?? '0',
    symbol: row.asset ?? '',
    candidate_time: row.time ?? 0,
    delta_seconds: row.delta_seconds ?? 0,
    candidate_tx_hash: toKey(String(row.candidate_signature ?? '')),
    label: row.label ?? '',
    via: toKey(String(row.via ?? '')),
    is_same_wallet: row.same_wallet ?? false,
    evidence: row.evidence ? String(row.evidence).split(' ') : [],
    sequence: wave.sequence,
  }));
};
