import { countOf } from '../../investigate/model/count-of.ts';
import { showable, showableLines } from '../../platform/showable.ts';
import type { Trail } from '../../sdk/create-spoor.ts';
import { drawAnalyze, drawNext } from './draw-next.ts';
import { drawTransactions } from './draw-transactions.ts';
import { drawAmount, drawExact, drawParty, drawShare, drawTime, faint, linkTo } from './draw-words.ts';

/** Other payments named at each wallet; `--json` has all. */
const OTHERS_DRAWN = 3;
const BRANCHES_NEXT = 3;

type Hop = Trail['hops'][number];

/** What was there is rarely known; backward `moved` is what came. */
const SHARE_OF: Readonly<Record<Hop['share_of'], string>> = {
  arrived: 'what the hop before moved',
  asked: 'the sum asked for',
  moved: 'what is known to have moved since',
};
type Branch = Hop['others'][number];

/** A trail from its start to its end, with the transactions that show it, and the command that goes on. */
export const drawTrail = (trail: Trail, server = ''): string => {
  const { start, start_label: label, hops, end, meta, asset } = trail;
  const lines = [drawParty(start, label), ...hops.flatMap((hop) => drawHop(trail, hop))];
  lines.push('', `${showable(end.reason)}: ${showableLines(end.detail)}`);
  const { output } = end;
  if (output && 'chain' in output)
    lines.push(
      `  → ${showable(output.chain)}: ${drawExact(output.amount_raw, output.asset)}, ${drawParty(output.address)}, ${drawTime(output.since ?? output.until ?? null)}`,
      `    ${faint(linkTo(output.chain, output.signature))}`,
    );
  else if (output && output.amount !== null)
    lines.push(`  → ${drawAmount(output.amount, output.symbol, output.usd)}, ${drawParty(output.recipient)}`);
  if (end.signature !== null) lines.push(`    ${faint(linkTo(trail.chain, end.signature))}`);
  lines.push(...[...end.branches, ...end.others].map((branch) => `  ├─ ${drawBranch(branch, asset)}`));
  // The end's sentence usually says what is missing.
  const missing = meta.detail !== null && !end.detail.includes(meta.detail) ? `: ${meta.detail}` : '';
  if (meta.scope !== 'full') lines.push(faint(`scope: ${meta.scope}${showableLines(missing)}`));
  if (meta.prices === 'pending' && hops.some(({ usd }) => usd === null)) lines.push(faint(PRICES_PENDING));
  const next = nextOf(trail, server);
  if (next.length > 0) lines.push('', 'Next:', ...next.map((command) => `  ${command}`));
  return lines.join('\n');
};

export const PRICES_PENDING = 'Prices are still worked out: ask again in some minutes for more dollars.';

const drawHop = ({ chain, asset }: Trail, hop: Hop): string[] => {
  // Backward a hop is shown against the money: it leads to the sender.
  const isBackward = hop.from_label !== undefined;
  const several = hop.transactions_total > 1 ? `, in ${hop.transactions_total} transactions` : '';
  const moved = hop.moved_raw === hop.amount_raw ? '' : ` of ${drawExact(hop.moved_raw, asset)} paid`;
  const others = hop.others.length - OTHERS_DRAWN;
  return [
    `  │  ${drawExact(hop.amount_raw, asset, hop.usd)}${moved}, ${drawShare(hop.share)} of ${SHARE_OF[hop.share_of]}${several}`,
    ...drawTransactions(hop, { chain, asset }).map((line) => `  │  ${line}`),
    ...hop.through.map(({ address, label }) => `  │  ${faint(`through ${drawParty(address, label)}`)}`),
    ...hop.others
      .slice(0, OTHERS_DRAWN)
      .map((branch) => `  ├─ ${faint(`also ${drawBranch(branch, asset)}`)}`),
    ...(others > 0 ? [`  ├─ ${faint(`${countOf(others, 'other payment')}, see --json`)}`] : []),
    `  ${isBackward ? '▲' : '▼'}`,
    drawParty(isBackward ? hop.from : hop.to, hop.to_label ?? hop.from_label),
  ];
};

/** Backward, money that came from elsewhere. */
const drawBranch = (branch: Branch, asset: Trail['asset']): string => {
  const [arrow, party, label] =
    branch.from_label !== undefined
      ? (['←', branch.from, branch.from_label] as const)
      : (['→', branch.to, branch.to_label] as const);
  return `${drawExact(branch.amount_raw, asset, branch.usd)} ${arrow} ${drawParty(party, label)}`;
};

/** The call of the end; else one for each branch, or who the last wallet is. */
const nextOf = ({ chain, asset, end, hops }: Trail, server: string): readonly string[] => {
  if (end.next !== null) return [drawNext(end.next, server)];
  if (end.branches.length > 0)
    return end.branches.slice(0, BRANCHES_NEXT).map((branch) => {
      const isBackward = branch.until !== undefined;
      const body = {
        ...{ address: isBackward ? branch.from : branch.to, chain, asset: asset.address ?? 'native' },
        ...(isBackward ? { until: branch.until, backward: true } : { since: branch.since }),
        amount: branch.amount,
        ...(branch.traced_raw === undefined ? {} : { traced_raw: branch.traced_raw }),
      };
      return drawNext({ path: '/follow', body }, server);
    });
  return end.reason === 'no_data' && hops.length === 0 ? [] : [drawAnalyze(end.address, chain, server)];
};
