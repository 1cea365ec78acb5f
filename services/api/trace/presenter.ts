import { presentAddress } from '../../investigate/model/address.ts';
import { assetSymbol } from '../../investigate/model/asset.ts';
import { wholeUnits } from '../../investigate/trace/amounts.ts';
import { CALIBRATION } from '../../investigate/trace/ranking/combine-evidence.ts';
import type { Anchor, Candidate, Trace } from '../../investigate/trace/trace-answer.ts';
import { presentExplorer } from '../present-basis.ts';

/** The answer of POST /trace. Only presenters turn amounts into floats. */
export const presentTrace = (trace: Trace, { gap }: { gap: string | null }) => {
  const { chain, window, indexed } = trace;
  const address = (raw: string): string => presentAddress(chain, raw);

  /** Unverified dollars may be any stablecoin, so they are shown as USD. */
  const presentAnchor = ({ signature, timeUnixSeconds, moved, verified, corrections }: Anchor) => {
    const [first] = moved;
    return {
      signature,
      amount: first === undefined ? 0 : wholeUnits(chain, first),
      amount_raw: String(first?.amountRaw ?? 0n),
      asset: first === undefined || moved.length > 1 ? 'USD' : assetSymbol(chain, first.canonicalAsset),
      time: timeUnixSeconds,
      verified,
      corrections: corrections.map((correction) => ({
        ...correction,
        detail: `The request says ${correction.field} ${correction.said}, the transaction ${correction.found}: the transaction is believed.`,
      })),
    };
  };
  const presentCandidate = (candidate: Candidate) => ({
    address: address(candidate.wallet),
    signature: candidate.signature,
    amount: wholeUnits(chain, candidate),
    amount_raw: String(candidate.amountRaw),
    asset: assetSymbol(chain, candidate.canonicalAsset),
    time: candidate.timeUnixSeconds,
    delta_seconds: candidate.deltaSeconds,
    tier: candidate.tier,
    confidence: candidate.confidence,
    crowd: candidate.crowd,
    via: candidate.via === null ? null : address(candidate.via),
    label: candidate.label?.name ?? null,
    same_wallet: candidate.sameWallet,
    evidence: candidate.evidence.map(({ family, detail, proofs, transactions }) => ({
      family,
      detail,
      signatures: proofs,
      transactions: transactions.map(({ signature, timeUnixSeconds, moved }) => ({
        signature,
        time: timeUnixSeconds,
        amount: moved && wholeUnits(chain, moved),
        amount_raw: moved && String(moved.amountRaw),
        asset: moved && assetSymbol(chain, moved.canonicalAsset),
      })),
    })),
    transfers: candidate.transfers,
    first_seen: candidate.firstSeenUnixSeconds,
  });
  return {
    entity: trace.entity,
    kind: trace.kind,
    direction: trace.direction,
    anchor: presentAnchor(trace.anchor),
    window: {
      from: window.fromUnixSeconds,
      to: window.toUnixSeconds,
      searched: window.searched.map(address),
      searched_total: window.searchedTotal,
      transactions: window.transactions,
      complete: window.complete,
    },
    anonymity_set: trace.anonymitySet,
    excluded: trace.excluded,
    candidates: trace.candidates.map(presentCandidate),
    candidates_total: trace.candidatesTotal,
    meta: {
      chain: chain.name,
      // More is not known yet.
      scope: gap === null ? trace.scope : 'partial',
      detail: gap === null ? trace.detail : `${trace.detail ?? ''} ${gap}`.trim(),
      data_from: indexed?.contiguousSinceUnixSeconds ?? null,
      data_to: indexed?.toUnixSeconds ?? null,
      index_head: indexed?.toBlock ?? null,
      calibration: CALIBRATION.version,
      explorer: presentExplorer(chain),
    },
  };
};
