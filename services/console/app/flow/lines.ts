import { formatAmount, formatShare, formatTime, formatUsd } from '../shared/format.ts';
import { CARD } from './measures.ts';
import type { Link } from './picture.ts';
import type { LinkView } from './view-events.ts';

/** A line of the picture, with the words beside it. */
export type Line = {
  readonly key: string;
  readonly link: Link;
  readonly words: readonly string[];
  /** Pixels below the straight way, so that lines between the same two wallets lie beside one another. */
  readonly shift: number;
};

/** Lines between two wallets that can still be told apart. */
const LINES_MAX = 6;
const APART = 20;

/** One line for each relation, or one for each transaction; the rest of the transactions is counted. */
export const drawLines = (links: readonly Link[], as: LinkView): readonly Line[] =>
  links.flatMap((link) => {
    if (as === 'relations' || link.transactions.length <= 1)
      return { key: link.key, link, words: wordsOf(link), shift: 0 };
    const shown = link.transactions.slice(0, LINES_MAX);
    const rest = link.transactionsTotal - shown.length;
    return shown.map(({ signature, amount, time }, at) => {
      const more = at === shown.length - 1 && rest > 0 ? `, and ${rest} more` : '';
      return {
        key: `${link.key} ${signature}`,
        link,
        words: [`${formatAmount(amount)} ${link.symbol}, ${shortTime(time)}${more}`],
        shift: (at - (shown.length - 1) / 2) * APART,
      };
    });
  });

const wordsOf = (link: Link): readonly string[] => {
  const chance = link.isFact ? [] : [formatShare(link.probability)];
  if (link.kind !== 'payment')
    return [`${link.kind === 'swap' ? 'sold for' : 'bridged to'} ${link.symbol}`, ...chance];
  const [first] = link.transactions;
  const facts = [
    ...(first === undefined ? [] : [shortTime(first.time)]),
    ...(link.transactionsTotal > 1 ? [`${link.transactionsTotal} payments`] : []),
    ...chance,
  ];
  return [`${formatAmount(link.amount)} ${link.symbol}, ${formatUsd(link.usd)}`, facts.join(' · ')];
};

/** "2025-09-02 12:08" */
const shortTime = (unixSeconds: number): string => formatTime(unixSeconds).slice(0, 16);

type Point = { readonly x: number; readonly y: number };

/** How far a line that goes back bends out, and how far below the cards it runs. */
const BEND = 60;
const BELOW = CARD.height / 2 + (CARD.rowStep - CARD.height) / 2;

/** A curve from left to right, and where its words stand. What goes back runs below both cards, which would hide it. */
export const curveOf = (from: Point, to: Point, shift: number): { readonly path: string } & Point => {
  if (to.x <= from.x) {
    const y = Math.max(from.y, to.y) + BELOW + shift / LINES_MAX;
    const out = `C${from.x + BEND} ${from.y} ${from.x + BEND} ${y} ${from.x} ${y}`;
    const back = `C${to.x - BEND} ${y} ${to.x - BEND} ${to.y} ${to.x} ${to.y}`;
    return { path: `M${from.x} ${from.y} ${out} L${to.x} ${y} ${back}`, x: (from.x + to.x) / 2, y };
  }
  const middle = (from.x + to.x) / 2;
  const [y1, y2] = [from.y + shift, to.y + shift];
  return {
    path: `M${from.x} ${from.y} C${middle} ${y1} ${middle} ${y2} ${to.x} ${to.y}`,
    x: middle,
    y: (from.y + to.y) / 2 + 0.75 * shift,
  };
};
