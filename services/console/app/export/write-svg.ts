import { endOf } from '../flow/card-end.ts';
import { curveOf, drawLines, type Line } from '../flow/lines.ts';
import { CARD, pixelsOf } from '../flow/measures.ts';
import type { Card } from '../flow/picture.ts';
import type { Place } from '../flow/place-cards.ts';
import type { Shown } from '../flow/show-flow.ts';
import { formatAmount, formatShare, formatUsd, shorten, showName } from '../shared/format.ts';

export type Drawing = { readonly text: string; readonly width: number; readonly height: number };

const MARGIN = 24;

/** The picture as an SVG file that stands on its own. */
export const writeSvg = ({ chosen, filtered, places, view }: Shown): Drawing => {
  const drawn = new Map(chosen.cards.map((card) => [card.key, placeOf(card, places)]));
  const columns = Math.max(0, ...[...drawn.values()].map(({ column }) => column));
  const rows = Math.max(0, ...[...drawn.values()].map(({ row }) => row));
  const width = columns * CARD.columnStep + CARD.width + 2 * MARGIN;
  const height = rows * CARD.rowStep + CARD.height + 2 * MARGIN;
  const lines = drawLines(filtered.shown.links, view.as).flatMap((line) => {
    const [from, to] = [drawn.get(line.link.from), drawn.get(line.link.to)];
    return from === undefined || to === undefined ? [] : [drawLine(line, from, to)];
  });
  const folds = new Map(chosen.folds.map((fold) => [fold.payer, fold]));
  const cards = chosen.cards.map((card) => {
    const fold = folds.get(card.key);
    const more = fold === undefined ? '' : `+${fold.cards.length} wallets, ${formatUsd(fold.usd)}`;
    const note = view.notes.get(card.key) ?? '';
    return drawCard(card, placeOf(card, places), [note, more]);
  });
  const text = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="${-MARGIN} ${-MARGIN} ${width} ${height}" font-family="sans-serif" font-size="12">`,
    `<rect x="${-MARGIN}" y="${-MARGIN}" width="${width}" height="${height}" fill="#fff"/>`,
    ...lines,
    ...cards,
    '</svg>',
  ].join('\n');
  return { text, width, height };
};

const placeOf = ({ key }: Card, places: ReadonlyMap<string, Place>): Place =>
  places.get(key) ?? { column: 0, row: 0 };

const drawLine = ({ link, words, shift }: Line, from: Place, to: Place): string => {
  const [a, b] = [pixelsOf(from), pixelsOf(to)];
  const { path, x, y } = curveOf(
    { x: a.x + CARD.width, y: a.y + CARD.height / 2 },
    { x: b.x, y: b.y + CARD.height / 2 },
    shift,
  );
  const dashes = link.isFact ? '' : ' stroke-dasharray="6 4"';
  return [
    `<path d="${path}" fill="none" stroke="#456" stroke-opacity="${0.35 + 0.65 * link.probability}"${dashes}/>`,
    ...words.map(
      (line, at) =>
        `<text x="${x}" y="${y - 6 - (words.length - 1 - at) * 15}" text-anchor="middle" fill="#234" stroke="#fff" stroke-width="3" paint-order="stroke">${escapeText(line)}</text>`,
    ),
  ].join('');
};

const drawCard = (card: Card, place: Place, more: readonly string[]): string => {
  const { x, y } = pixelsOf(place);
  const lines = [
    `${shorten(card.address)}  ${card.isStart ? 'start' : `hop ${card.hop}`} · ${card.chain}`,
    card.label === null ? '' : `${showName(card.label.name)} (${card.label.kind})`,
    `${formatUsd(card.usd)}   ${formatAmount(card.arrived)} ${card.symbol}`,
    `left ${formatAmount(card.left)}   rests ${formatAmount(card.rest)}`,
    `${endOf(card)}   ${card.probability === 1 ? 'certain' : `probability ${formatShare(card.probability)}`}`,
    ...more,
  ].filter((line) => line !== '');
  return [
    `<g><title>${escapeText(card.address)}</title>`,
    `<rect x="${x}" y="${y}" width="${CARD.width}" height="${CARD.height}" rx="6" fill="#fff" stroke="#345"/>`,
    ...lines.map((line, at) => `<text x="${x + 10}" y="${y + 22 + at * 20}">${escapeText(line)}</text>`),
    '</g>',
  ].join('');
};

const escapeText = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`);
