import { showable, showableLines } from '../../platform/showable.ts';
import type { Flow } from '../../sdk/create-spoor.ts';
import { drawAmount, drawParty, drawShare, drawTime, faint } from './draw-words.ts';

/** Branches drawn per wallet; `--json` has all. */
const BRANCHES_DRAWN = 20;
const LINES_DRAWN = 500;

/** A whole flow as a tree. Each wallet is drawn once, below its main payer; elsewhere it is only named. */
export const drawFlow = (flow: Flow): string => {
  const { nodes, edges, starts, ends, coverage, asset, meta } = flow;
  const byAddress = new Map(nodes.map((node) => [node.address, node]));
  const branches = Map.groupBy(edges, ({ from }) => from);
  const drawn = new Set<string>();
  const lines: string[] = [];
  const draw = (address: string, indent: string): void => {
    const all = branches.get(address) ?? [];
    for (const edge of all.slice(0, BRANCHES_DRAWN)) {
      if (lines.length >= LINES_DRAWN) return;
      const isDrawn = drawn.has(edge.to);
      lines.push(
        `${indent}├─ ${drawEdge(edge, { node: byAddress.get(edge.to), isDrawn, symbol: asset.symbol })}`,
      );
      drawn.add(edge.to);
      if (!isDrawn) draw(edge.to, `${indent}│  `);
    }
    if (all.length > BRANCHES_DRAWN)
      lines.push(`${indent}├─ ${faint(`${all.length - BRANCHES_DRAWN} more, see --json`)}`);
  };
  for (const start of starts) drawn.add(start);
  for (const start of starts) {
    lines.push(drawParty(start, byAddress.get(start)?.label));
    draw(start, '  ');
  }
  const part = (name: string, { amount, usd }: Flow['coverage']['taken']): string =>
    `${name}: ${drawAmount(amount, asset.symbol, usd)}`;
  lines.push(
    '',
    `${part('taken', coverage.taken)} → ${part('ends', coverage.ends)}, ${part('rest', coverage.rest)}, ${part('frontier', coverage.frontier)}`,
    ...ends.flatMap((end) => drawEnd(end, asset.symbol)),
  );
  if (meta.scope !== 'full')
    lines.push(faint(`scope: ${meta.scope}${meta.detail === null ? '' : `: ${showableLines(meta.detail)}`}`));
  return lines.join('\n');
};

/** With where it came out of a bridge, and how many calls go on from there. */
const drawEnd = (
  { reason, address, label, amount, usd, probability, crossings, next }: Flow['ends'][number],
  symbol: string | null,
): readonly string[] => [
  `  ${showable(reason)}: ${drawAmount(amount, symbol, usd)}, ${drawShare(probability)}, ${drawParty(address, label)}`,
  ...crossings.map(
    (side) =>
      `    → ${showable(side.chain)}: ${drawAmount(side.amount, side.asset.symbol)}, ${drawParty(side.address)}, ${drawTime(side.since ?? null)}`,
  ),
  ...(next.length > 0 ? [`    ${faint(`goes on: ${next.length} × ${next[0]?.path}, see --json`)}`] : []),
];

type Edge = Flow['edges'][number];
type Drawing = {
  readonly node: Flow['nodes'][number] | undefined;
  readonly isDrawn: boolean;
  readonly symbol: string | null;
};

const drawEdge = (edge: Edge, { node, isDrawn, symbol }: Drawing): string => {
  const notes = [
    ...(edge.beyond_sum ? ['beyond the sum'] : []),
    ...(isDrawn ? ['see above'] : []),
    ...(node?.end ? [node.end] : []),
  ];
  const told = notes.length > 0 ? ` ${faint(`(${notes.join(', ')})`)}` : '';
  const carried = `${drawAmount(edge.amount, symbol, edge.usd)}, ${drawShare(edge.probability)}`;
  return `${carried} → ${drawParty(edge.to, node?.label)}${told}`;
};
