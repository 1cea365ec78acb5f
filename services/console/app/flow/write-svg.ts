import { formatAmount, formatShare, formatUsd, shorten, showName } from '../shared/format.ts';
import { CARD, LINK_WORDS, pixelsOf } from './measures.ts';
import type { Card, Link } from './picture.ts';
import type { Place } from './place-cards.ts';
import type { Shown } from './show-flow.ts';

export type Drawing = { readonly text: string; readonly width: number; readonly height: number };

const MARGIN = 24;

/** The picture as an SVG file that stands on its own. */
export const writeSvg = ({ chosen, filtered, places }: Shown): Drawing => {
  const drawn = new Map(chosen.cards.map((card) => [card.key, placeOf(card, places)]));
  const columns = Math.max(0, ...[...drawn.values()].map(({ column }) => column));
  const rows = Math.max(0, ...[...drawn.values()].map(({ row }) => row));
  const width = columns * CARD.columnStep + CARD.width + 2 * MARGIN;
  const height = rows * CARD.rowStep + CARD.height + 2 * MARGIN;
  const links = filtered.shown.links.flatMap((link) => {
    const [from, to] = [drawn.get(link.from), drawn.get(link.to)];
    return from === undefined || to === undefined ? [] : [drawLink(link, from, to)];
  });
  const folds = new Map(chosen.folds.map((fold) => [fold.payer, fold]));
  const cards = chosen.cards.map((card) => {
    const fold = folds.get(card.key);
    const more = fold === undefined ? '' : `+${fold.cards.length} wallets, ${formatUsd(fold.usd)}`;
    return drawCard(card, placeOf(card, places), more);
  });
  const text = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="${-MARGIN} ${-MARGIN} ${width} ${height}" font-family="sans-serif" font-size="12">`,
    `<rect x="${-MARGIN}" y="${-MARGIN}" width="${width}" height="${height}" fill="#fff"/>`,
    ...links,
    ...cards,
    '</svg>',
  ].join('\n');
  return { text, width, height };
};

const placeOf = ({ key }: Card, places: ReadonlyMap<string, Place>): Place =>
  places.get(key) ?? { column: 0, row: 0 };

const drawLink = (link: Link, from: Place, to: Place): string => {
  const [a, b] = [pixelsOf(from), pixelsOf(to)];
  const [x1, y1, x2, y2] = [a.x + CARD.width, a.y + CARD.height / 2, b.x, b.y + CARD.height / 2];
  const middle = (x1 + x2) / 2;
  const dashes = link.isFact ? '' : ' stroke-dasharray="6 4"';
  const words = `${LINK_WORDS[link.kind]}${link.kind === 'payment' ? formatUsd(link.usd) : link.symbol}${
    link.isFact ? '' : ` · ${formatShare(link.probability)}`
  }`;
  return [
    `<path d="M${x1} ${y1} C${middle} ${y1} ${middle} ${y2} ${x2} ${y2}" fill="none" stroke="#456"${dashes}/>`,
    `<text x="${middle}" y="${(y1 + y2) / 2 - 4}" text-anchor="middle" fill="#234">${escapeText(words)}</text>`,
  ].join('');
};

const drawCard = (card: Card, place: Place, more: string): string => {
  const { x, y } = pixelsOf(place);
  const lines = [
    `${shorten(card.address)}  ${card.isStart ? 'start' : `hop ${card.hop}`} · ${card.chain}`,
    card.label === null ? '' : `${showName(card.label.name)} (${card.label.kind})`,
    `${formatUsd(card.usd)}   ${formatAmount(card.arrived)} ${card.symbol}`,
    `rests ${formatAmount(card.rest)}   probability ${formatShare(card.probability)}`,
    more,
  ];
  return [
    `<g><title>${escapeText(card.address)}</title>`,
    `<rect x="${x}" y="${y}" width="${CARD.width}" height="${CARD.height}" rx="6" fill="#fff" stroke="#345"/>`,
    ...lines.map((line, at) => `<text x="${x + 10}" y="${y + 24 + at * 22}">${escapeText(line)}</text>`),
    '</g>',
  ].join('');
};

const escapeText = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`);
