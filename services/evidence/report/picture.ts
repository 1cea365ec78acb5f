import { type Html, html } from './html.ts';
import type { Story } from './story.ts';

/** Wallets drawn; the chronology has all. */
const WALLETS_MAX = 40;
const [WIDE, HIGH, GAP_X, GAP_Y] = [150, 34, 90, 14];

type Drawn = { readonly address: string; readonly x: number; readonly y: number };

/** Wallets in columns by their distance from the start, with the numbers of the steps between them. */
export const picture = (story: Story): Html => {
  const { columns, hidden } = layOut(story);
  const placed = new Map(
    columns.flatMap((column, at) =>
      column.map((address, row): [string, Drawn] => [
        address,
        { address, x: at * (WIDE + GAP_X), y: row * (HIGH + GAP_Y) },
      ]),
    ),
  );
  const width = columns.length * (WIDE + GAP_X);
  const height = Math.max(...columns.map(({ length }) => length), 1) * (HIGH + GAP_Y) + 20;
  return html`<section><h2>Picture of ${story.chain}</h2>
<svg xmlns="http://www.w3.org/2000/svg" viewBox="-5 -5 ${width} ${height}" role="img" aria-label="Payments between wallets">
${lines(story, placed)}
${[...placed.values()].map((wallet) => box(story, wallet))}
</svg>
<p>Numbers on lines are steps of the chronology.${hidden > 0 ? ` ${hidden} more wallets are not drawn.` : ''}</p>
</section>
`;
};

const layOut = ({ starts, steps }: Story): { columns: string[][]; hidden: number } => {
  const depth = new Map(starts.map((start) => [start, 0]));
  // Each round reaches one payment further.
  for (let round = 0; round < steps.length; round += 1) {
    const before = depth.size;
    for (const { from, to } of steps) {
      const at = depth.get(from);
      if (at === round && !depth.has(to)) depth.set(to, round + 1);
    }
    if (depth.size === before) break;
  }
  const got = new Map<string, bigint>();
  for (const { to, raw } of steps) got.set(to, (got.get(to) ?? 0n) + raw);
  const all = [...depth].sort(
    ([a], [b]) =>
      Number(starts.includes(b)) - Number(starts.includes(a)) ||
      Number((got.get(b) ?? 0n) - (got.get(a) ?? 0n)),
  );
  const columns: string[][] = [];
  for (const [address, at] of all.slice(0, WALLETS_MAX)) {
    while (columns.length <= at) columns.push([]);
    columns[at]?.push(address);
  }
  return {
    columns: columns.filter(({ length }) => length > 0),
    hidden: all.length - Math.min(all.length, WALLETS_MAX),
  };
};

const lines = ({ steps }: Story, placed: ReadonlyMap<string, Drawn>): readonly Html[] =>
  [...Map.groupBy(steps.entries(), ([, { from, to }]) => `${from} ${to}`).values()].flatMap((of) => {
    const [first] = of;
    const [a, b] = [placed.get(first?.[1].from ?? ''), placed.get(first?.[1].to ?? '')];
    if (a === undefined || b === undefined) return [];
    const [x1, y1, x2, y2] = [a.x + WIDE, a.y + HIGH / 2, b.x, b.y + HIGH / 2];
    const numbers = of.map(([at]) => at + 1);
    const shown = numbers.length > 3 ? `${numbers.slice(0, 3).join(', ')} …` : numbers.join(', ');
    return [
      html`<path d="M ${x1} ${y1} L ${x2} ${y2}" class="line"/><text x="${(x1 + x2) / 2}" y="${(y1 + y2) / 2 - 3}" class="step">${shown}</text>
`,
    ];
  });

const box = ({ places }: Story, { address, x, y }: Drawn): Html => {
  const label = places.find((place) => place.address === address)?.label ?? null;
  const short = address.length > 14 ? `${address.slice(0, 6)}…${address.slice(-4)}` : address;
  return html`<g><rect x="${x}" y="${y}" width="${WIDE}" height="${HIGH}" rx="4" class="wallet"/><text x="${x + 6}" y="${y + 14}">${short}</text><text x="${x + 6}" y="${y + 28}" class="name">${label === null ? '' : label.name.slice(0, 24)}</text></g>
`;
};
