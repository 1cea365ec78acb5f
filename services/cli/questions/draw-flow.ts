import { countOf } from '../../investigate/model/count-of.ts';
import { showable, showableLines } from '../../platform/showable.ts';
import type { Flow } from '../../sdk/create-spoor.ts';
import { divideDollars } from './divide-dollars.ts';
import { drawAnalyze, drawNext } from './draw-next.ts';
import { PRICES_PENDING } from './draw-trail.ts';
import { drawTransactions } from './draw-transactions.ts';
import { drawExact, drawParty, drawProbability, drawShare, drawTime, faint, linkTo } from './draw-words.ts';

/** Branches drawn per wallet; `--json` has all. */
const BRANCHES_DRAWN = 20;
const LINES_DRAWN = 500;
const NEXT_DRAWN = 8;

type Edge = Flow['edges'][number];
type End = Flow['ends'][number];

/**
 * A whole flow as a tree, where the money is now, and the commands that go on. Each wallet is drawn once, below its main payer;
 * elsewhere it is only named.
 */
export const drawFlow = (flow: Flow, server = ''): string => {
  const { meta } = flow;
  const next = nextOf(flow, server);
  return [
    ...drawTree(flow),
    '',
    ...drawWhereItIs(flow),
    ...(meta.scope === 'full'
      ? []
      : [faint(`scope: ${meta.scope}${meta.detail === null ? '' : `: ${showableLines(meta.detail)}`}`)]),
    ...(meta.prices === 'pending' && flow.coverage.usd_at === null ? [faint(PRICES_PENDING)] : []),
    ...(next.length === 0 ? [] : ['', 'Next:', ...next.map((command) => `  ${command}`)]),
  ].join('\n');
};

const drawTree = (flow: Flow): readonly string[] => {
  const { nodes, edges, starts, rests, asset, chain } = flow;
  const byAddress = new Map(nodes.map((node) => [node.address, node]));
  const resting = new Map(divideDollars(rests, flow.coverage.rest).map((rest) => [rest.address, rest]));
  const branches = Map.groupBy(edges, ({ from }) => from);
  const drawn = new Set<string>(starts);
  const lines: string[] = [];
  const drawEdge = (edge: Edge, indent: string): void => {
    const isDrawn = drawn.has(edge.to);
    drawn.add(edge.to);
    const node = byAddress.get(edge.to);
    lines.push(`${indent}├─ ${describeEdge(edge, { node, isDrawn, asset })}`);
    lines.push(
      ...drawTransactions(edge, { chain, asset }).map((line) => `${indent}│    ${line}`),
      ...edge.through.map(
        ({ address, label }) => `${indent}│    ${faint(`through ${drawParty(address, label)}`)}`,
      ),
    );
    if (!isDrawn) drawBelow(edge.to, `${indent}│  `);
  };
  const drawBelow = (address: string, indent: string): void => {
    const all = branches.get(address) ?? [];
    // They may be the money, but the payments before them are likelier and took all of it.
    const carrying = all.filter(({ amount_raw: raw }) => raw !== '0');
    for (const edge of carrying.slice(0, BRANCHES_DRAWN)) {
      if (lines.length >= LINES_DRAWN) return;
      drawEdge(edge, indent);
    }
    const more = carrying.length - BRANCHES_DRAWN;
    if (more > 0) lines.push(`${indent}├─ ${faint(`${countOf(more, 'more payment')}, see --json`)}`);
    const rest = resting.get(address);
    if (rest) lines.push(`${indent}├─ ${drawExact(rest.amount_raw, asset, rest.usd)} is still there`);
    const others = all.length - carrying.length;
    if (others > 0)
      lines.push(
        `${indent}├─ ${faint(`${countOf(others, 'more payment')} to others, when all of it had left: see --json`)}`,
      );
  };
  for (const start of starts) {
    lines.push(drawParty(start, byAddress.get(start)?.label));
    drawBelow(start, '  ');
  }
  if (lines.length >= LINES_DRAWN) lines.push(faint('The tree goes on: see --json.'));
  return lines;
};

/** Its three parts add up to what was taken, and the lines of each part to that part. */
const drawWhereItIs = (flow: Flow): readonly string[] => {
  const { ends, rests, frontier, coverage, asset } = flow;
  const part = (title: string, { amount_raw, usd }: Flow['coverage']['taken']): string =>
    `${title}: ${drawExact(amount_raw, asset, usd)}`;
  const unread = ends.filter(({ reason }) => reason === 'no_data');
  const known = ends.filter(({ reason }) => reason !== 'no_data' && reason !== 'at_rest');
  const left = [
    ...frontier.filter(({ amount_raw: raw }) => raw !== '0'),
    ...unread.map((end) => ({ ...end, reason: 'no_data' as const })),
  ];
  return [
    part('Taken', coverage.taken),
    ...(known.length > 0 ? [part('Reached an end', coverage.ends)] : []),
    ...divideDollars(known, coverage.ends).flatMap((end) => drawEnd(end, flow)),
    ...(rests.length > 0 ? [part('Still in wallets', coverage.rest)] : []),
    ...divideDollars(rests, coverage.rest).map(
      ({ address, label, amount_raw, usd, probability, ...fate }) =>
        `  ${drawExact(amount_raw, asset, usd)}, ${drawProbability(probability)}, ${drawParty(address, label)}${drawFate(fate, flow)}`,
    ),
    ...(left.length > 0 ? [part('Not followed', coverage.frontier)] : []),
    ...divideDollars(left, coverage.frontier).map(
      ({ address, reason, amount_raw, usd, probability }) =>
        `  ${showable(reason)}: ${drawExact(amount_raw, asset, usd)}, ${drawProbability(probability)}, ${drawParty(address)}`,
    ),
    ...(coverage.usd_at === null
      ? []
      : [faint(`Dollars are at the price of ${drawTime(coverage.usd_at)}, when the money began to move.`)]),
  ];
};

type Fated = Pick<Flow['rests'][number], 'burned_raw' | 'fees_raw' | 'frozen' | 'can_freeze'>;

/** What became of it: less is there than came. */
const drawFate = (
  { burned_raw, fees_raw, frozen, can_freeze }: Fated,
  { asset, chain }: Pick<Flow, 'asset' | 'chain'>,
): string =>
  [
    ...(burned_raw === '0' ? [] : [`${drawExact(burned_raw, asset)} of it destroyed`]),
    ...(fees_raw === '0' ? [] : [`${drawExact(fees_raw, asset)} of it paid in fees`]),
    ...(frozen === null ? [] : [`frozen ${drawTime(frozen.time)}: ${linkTo(chain, frozen.signature)}`]),
    ...(frozen === null && can_freeze ? ['the issuer can freeze it'] : []),
  ]
    .map((words) => `, ${words}`)
    .join('');

/** With where it came out of a bridge. */
const drawEnd = (
  { outcome, address, from, label, amount_raw, usd, probability, output, crossings, issuer }: End,
  { asset }: Pick<Flow, 'asset'>,
): readonly string[] => [
  `  ${showable(outcome)}: ${drawExact(amount_raw, asset, usd)}, ${drawProbability(probability)}, ${drawParty(address, label)}`,
  ...(output === null
    ? []
    : [
        `    → ${drawSwapped(output)}${issuer === null ? '' : `, paid back by ${showable(issuer)}`}${from === address ? '' : `, sold by ${showable(from)}`}`,
      ]),
  ...crossings.flatMap((side) => [
    `    → ${showable(side.chain)}: ${drawExact(side.amount_raw, side.asset)}, ${drawParty(side.address)}, ${drawTime(side.since ?? null)}`,
    `      ${faint(linkTo(side.chain, side.signature))}`,
  ]),
];

const drawSwapped = ({ amount_raw: raw, symbol, decimals, address }: NonNullable<End['output']>): string =>
  raw === null
    ? `an unknown sum of ${showable(symbol ?? address)}`
    : drawExact(raw, { symbol: symbol ?? address, decimals });

type Drawing = {
  readonly node: Flow['nodes'][number] | undefined;
  readonly isDrawn: boolean;
  readonly asset: Flow['asset'];
};

const describeEdge = (edge: Edge, { node, isDrawn, asset }: Drawing): string => {
  const several = edge.transactions_total > 1 ? [`${edge.transactions_total} transactions`] : [];
  const notes = [
    ...several,
    ...(edge.beyond_sum ? ['beyond the sum'] : []),
    ...(isDrawn ? ['see above'] : []),
    ...(node?.end && node.end !== 'at_rest' ? [node.end] : []),
  ];
  const told = notes.length > 0 ? ` ${faint(`(${notes.join(', ')})`)}` : '';
  const moved = edge.moved_raw === edge.amount_raw ? '' : ` of ${drawExact(edge.moved_raw, asset)} paid`;
  const carried = `${drawExact(edge.amount_raw, asset, edge.usd)}${moved}, ${drawShare(edge.share)} of what arrived there, ${drawProbability(edge.probability)}`;
  return `${carried} → ${drawParty(edge.to, node?.label)}${told}`;
};

/** The first call of each end; then who has the most that is still in wallets. */
const nextOf = ({ ends, rests, chain }: Flow, server: string): readonly string[] => {
  const calls = ends.flatMap(({ next }) => {
    const [first, ...more] = next;
    if (first === undefined) return [];
    const others = more.length === 0 ? '' : faint(`  # and ${more.length} more such calls, see --json`);
    return [`${drawNext(first, server)}${others}`];
  });
  const [most] = rests;
  return [
    ...calls.slice(0, NEXT_DRAWN),
    ...(most === undefined ? [] : [drawAnalyze(most.address, chain, server)]),
  ];
};
