import type { AnalyzeAnswer } from '../api/analyze/answer.ts';
import type { FollowAnswer } from '../api/follow/answer.ts';
import type { FlowGraphAnswer } from '../api/follow/graph-answer.ts';
import type { InsidersAnswer } from '../api/insiders/answer.ts';
import type { TraceAnswer } from '../api/trace/answer.ts';
import type { TxAnswer } from '../api/tx/answer.ts';
import type { VictimsAnswer } from '../api/victims/answer.ts';
import { countOf } from '../investigate/model/count-of.ts';

/** A question offered as a tool. The route does the work. */
export type Tool = {
  readonly name: string;
  readonly title: string;
  /** The operation's id in the API document. */
  readonly operation: string;
  /** A short summary that is correct without the rest of the answer. */
  readonly summarise: (answer: never) => string;
};

const percent = (share: number | null): string =>
  share === null ? 'an unknown part' : `${Math.round(share * 100)} %`;

const summariseTrail = ({ asset, start, hops, end, meta }: FollowAnswer): string => {
  const symbol = asset.symbol ?? 'units';
  const steps = hops.map(
    ({ from, to, amount, to_label, from_label, signature }) =>
      `${from} → ${to}${nameOf(to_label ?? from_label)}: ${amount} ${symbol} (${signature})`,
  );
  return [
    `${countOf(hops.length, 'hop')} of ${symbol} from ${start}.`,
    ...steps,
    `End: ${end.reason} at ${end.address}. ${end.detail}`,
    meta.scope === 'full' ? '' : `Scope: ${meta.scope}.`,
  ]
    .filter((line) => line !== '')
    .join('\n');
};

const summariseFollow = (answer: FollowAnswer | FlowGraphAnswer): string =>
  'nodes' in answer ? summariseFlow(answer) : summariseTrail(answer);

const summariseFlow = ({ asset, starts, nodes, edges, ends, coverage, meta }: FlowGraphAnswer): string => {
  const symbol = asset.symbol ?? 'units';
  const shareOf = ({ amount }: { amount: number }): string =>
    percent(coverage.taken.amount === 0 ? 0 : amount / coverage.taken.amount);
  return [
    `${coverage.taken.amount} ${symbol} from ${starts.join(', ')}, over ${countOf(edges.length, 'edge')} to ${countOf(nodes.length, 'wallet')}.`,
    `${shareOf(coverage.ends)} reached an end, ${shareOf(coverage.rest)} rests, ${shareOf(coverage.frontier)} was not followed further.`,
    ...ends
      .slice(0, 10)
      .map(
        ({ reason, address, label, amount, probability }) =>
          `${reason} at ${address}${nameOf(label)}: ${amount} ${symbol}, probability ${percent(probability)}.`,
      ),
    meta.detail ?? '',
  ]
    .filter((line) => line !== '')
    .join('\n');
};

const summariseTrace = ({
  entity,
  kind,
  anchor,
  candidates,
  candidates_total,
  meta,
}: TraceAnswer): string => {
  const shown = candidates
    .slice(0, 5)
    .map(
      ({ address, confidence, amount, asset, evidence, label }) =>
        `${address}${label === null ? '' : ` (${label})`}: confidence ${percent(confidence)}, ${amount} ${asset}, evidence: ${
          evidence.map(({ family }) => family).join(', ') || 'none'
        }`,
    );
  return [
    `${countOf(candidates_total, 'candidate')} behind ${entity} (${kind}) for ${anchor.amount} ${anchor.asset}. Leads, not proofs.`,
    ...shown,
    meta.detail ?? '',
  ]
    .filter((line) => line !== '')
    .join('\n');
};

const summariseVictims = ({ address, victims, affiliates, totals, meta }: VictimsAnswer): string =>
  [
    meta.scope === 'no_data'
      ? `Nothing is known of ${address}: it may still have victims.`
      : `${countOf(totals.victims, 'victim')} of ${address} lost ${totals.usd === null ? 'what has no known price' : `$${Math.round(totals.usd)}`}; ${countOf(totals.refunded, 'wallet was', 'wallets were')} paid back.`,
    ...victims.slice(0, 5).map(({ address: who, label, losses, usd }) => {
      const methods = [...new Set(losses.map(({ method }) => method))].join(', ');
      return `${who}${nameOf(label)}: ${usd === null ? 'unknown worth' : `$${Math.round(usd)}`} by ${methods}`;
    }),
    ...affiliates
      .slice(0, 3)
      .map(({ address: who, share }) => `Partner ${who}: a share of ${percent(share)}`),
    meta.detail ?? '',
  ]
    .filter((line) => line !== '')
    .join('\n');

const summariseInsiders = ({ token, creator, insiders, totals, why_none, meta }: InsidersAnswer): string =>
  [
    meta.scope === 'no_data'
      ? `Nothing is known of ${token.address}, which does not mean that it has no insiders.`
      : `${countOf(totals.insiders, 'insider')} of ${token.address} ${totals.insiders === 1 ? 'holds' : 'hold'} ${percent(totals.share_held)} of the supply.`,
    creator === null ? '' : `Creator ${creator.address}, funded by ${creator.funder ?? 'nobody known'}.`,
    ...insiders.slice(0, 5).map(({ address: who, kinds, confidence, share_held }) => {
      return `${who}: ${kinds.join(', ')}, confidence ${percent(confidence)}, holds ${percent(share_held)} of the supply`;
    }),
    why_none ?? '',
    meta.detail ?? '',
  ]
    .filter((line) => line !== '')
    .join('\n');

const nameOf = (label: { name: string; kind: string } | null | undefined): string =>
  label ? ` (${label.name}, ${label.kind})` : '';

const summariseProfile = ({ address, identity, risk, behaviours, services, meta }: AnalyzeAnswer): string =>
  [
    `${address}: ${identity.name ?? identity.type ?? 'nothing is known of it'}${
      identity.predicted === null ? '' : ` (predicted: ${identity.predicted.why})`
    }.`,
    `Risk: ${risk.level}${risk.score === null ? '' : `, ${risk.score} of 100`}.`,
    ...risk.reasons.map(({ severity, detail }) => `${severity}: ${detail}`),
    ...behaviours.map(({ name, detail }) => `${name}: ${detail}`),
    ...services.slice(0, 5).map(({ name, kind }) => `Used ${name} (${kind}).`),
    meta.detail ?? '',
  ]
    .filter((line) => line !== '')
    .join('\n');

const summariseTransaction = ({ hash, sender, movements, meta }: TxAnswer): string =>
  [
    sender === null ? `${hash}:` : `${hash}, sent by ${sender}: ${countOf(movements.length, 'movement')}.`,
    ...movements
      .slice(0, 10)
      .map(
        ({ from, from_label, to, to_label, amount, asset }) =>
          `${amount} ${asset.symbol ?? asset.address ?? 'units'} from ${from}${nameOf(from_label)} to ${to}${nameOf(to_label)}`,
      ),
    meta.detail ?? '',
  ]
    .filter((line) => line !== '')
    .join('\n');

export const TOOLS: readonly Tool[] = [
  {
    name: 'analyze_address',
    title: 'Analyze a wallet, program or token',
    operation: 'analyze',
    summarise: summariseProfile,
  },
  {
    name: 'follow_funds',
    title: 'Follow funds',
    operation: 'follow',
    summarise: summariseFollow,
  },
  {
    name: 'trace_transfer',
    title: 'Trace a transfer through a mixer or exchange',
    operation: 'trace',
    summarise: summariseTrace,
  },
  {
    name: 'find_token_insiders',
    title: 'Find the insiders of a token',
    operation: 'insiders',
    summarise: summariseInsiders,
  },
  {
    name: 'find_victims',
    title: 'Find the victims of a drainer or thief',
    operation: 'victims',
    summarise: summariseVictims,
  },
  {
    name: 'show_transaction',
    title: 'Show what a transaction moved',
    operation: 'tx',
    summarise: summariseTransaction,
  },
];
