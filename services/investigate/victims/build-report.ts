import type { ContiguousRange } from '../model/transfer-reader.ts';
import type { Values } from '../model/value-amounts.ts';
import { listAffiliates } from './list-affiliates.ts';
import { listOthers } from './list-others.ts';
import type { Parties } from './read-parties.ts';
import { REFUNDED_SHARE } from './rules.ts';
import { byPayer, type Ruling } from './settle-losses.ts';
import { sumKnown } from './sum-known.ts';
import type { Loss, OpenGrant, Victim, VictimsReport, VictimsRequest } from './victims-report.ts';

type Found = {
  readonly request: VictimsRequest;
  readonly rulings: readonly Ruling[];
  readonly parties: Parties;
  readonly values: Values;
  readonly transactionsRead: number;
  /** Sentences. */
  readonly gaps: readonly string[];
  readonly span: ContiguousRange | null;
  readonly isKnown: boolean;
  readonly revocable: readonly OpenGrant[];
};

export const buildReport = (found: Found): VictimsReport => {
  const { request, rulings, parties, transactionsRead, gaps, span, isKnown } = found;
  const lost = rulings.filter((ruling) => ruling.reason === null);
  const victims = [...byPayer(lost)].map(([address, own]): Victim => {
    const losses = own.map((ruling) => toLoss(ruling, found)).sort(byTime);
    const times = losses.map(({ timeUnixSeconds }) => timeUnixSeconds);
    return {
      address,
      label: parties.labels.get(address) ?? null,
      losses,
      usd: sumKnown(losses.map(netUsd)),
      refundedUsd: sumKnown(losses.map(refundedUsd)),
      firstUnixSeconds: Math.min(...times),
      lastUnixSeconds: Math.max(...times),
    };
  });
  const unpaid = victims.filter((victim) => !isRefunded(victim)).sort(largestFirst);
  const refunded = victims.filter(isRefunded).sort(largestFirst);
  const others = listOthers(rulings, victims, found);
  const losses = unpaid.flatMap((victim) => victim.losses);
  return {
    request,
    label: parties.labels.get(request.address) ?? null,
    victims: unpaid.slice(0, request.limit),
    refunded: refunded.slice(0, request.limit),
    affiliates: listAffiliates(lost, found),
    others: others.shown,
    revocable: found.revocable,
    totals: {
      victims: unpaid.length,
      transfers: new Set(losses.map(({ signature }) => signature)).size,
      usd: unpaid.length === 0 ? 0 : sumKnown(unpaid.map(({ usd }) => usd)),
      unpriced: losses.filter(({ usd }) => usd === null).length,
      refunded: refunded.length,
      refundedUsd: victims.length === 0 ? 0 : sumKnown(victims.map((victim) => victim.refundedUsd)),
      others: others.total,
      contracts: others.contracts.length,
      contractsUsd: others.contracts.length === 0 ? 0 : sumKnown(others.contracts.map(({ usd }) => usd)),
    },
    transactionsRead,
    gaps,
    scope: !isKnown && transactionsRead === 0 ? 'no_data' : gaps.length > 0 ? 'partial' : 'full',
    span,
  };
};

const toLoss = (
  { taking, method, amountRaw, refundedRaw, usd }: Extract<Ruling, { reason: null }>,
  { values, parties }: Found,
): Loss => ({
  asset: values.assetOf(taking.canonicalAsset),
  amountRaw,
  refundedRaw,
  usd,
  method,
  toSubjectRaw: taking.toSubjectRaw,
  usdSource: usd === null ? null : (values.priceOf(taking)?.source ?? null),
  signature: taking.hash,
  timeUnixSeconds: taking.blockTime,
  intended: method === 'poisoned' ? (parties.imitated.get(taking.payer) ?? null) : null,
});

const byTime = (a: Loss, b: Loss): number => a.timeUnixSeconds - b.timeUnixSeconds;

const refundedShare = ({ refundedRaw, amountRaw }: Loss): number => Number(refundedRaw) / Number(amountRaw);
const refundedUsd = (loss: Loss): number | null =>
  loss.refundedRaw === 0n ? 0 : loss.usd && loss.usd * refundedShare(loss);
const netUsd = (loss: Loss): number | null => loss.usd && loss.usd * (1 - refundedShare(loss));

const isRefunded = ({ losses }: Victim): boolean =>
  losses.every((loss) => refundedShare(loss) >= REFUNDED_SHARE);

const largestFirst = (a: Victim, b: Victim): number =>
  (b.usd ?? 0) - (a.usd ?? 0) || a.firstUnixSeconds - b.firstUnixSeconds || (a.address < b.address ? -1 : 1);
