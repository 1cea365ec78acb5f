import { HISTORY_KINDS } from '../../investigate/model/history.ts';
import type { ProbedHistory, ProbedSource } from '../../roles/ingest/probe-histories.ts';

/** What `doctor --history` tells of a chain, as one JSON line. */
export const reportHistory = ({ chain, sources }: ProbedHistory) => ({
  name: 'history',
  chain,
  sources: sources.map(({ source, place, offers, trouble, perSecond, perDay }) => ({
    ...{ source, place, trouble },
    kinds: offers?.kinds ?? [],
    has: offers?.has ?? [],
    blocks_max: offers?.spanMax ?? null,
    per_second: perSecond,
    per_day: perDay,
  })),
  unlisted: HISTORY_KINDS.filter((kind) => !sources.some(({ offers }) => offers?.kinds.includes(kind))),
});

/** The same for a person. */
export const describeHistory = (history: ProbedHistory): string => {
  const { unlisted } = reportHistory(history);
  return [
    `histories of ${history.chain}:`,
    ...history.sources.map((source) => `  ${describeSource(source)}`),
    ...(unlisted.length === 0 ? [] : [`  nobody lists: ${unlisted.join(', ')}`]),
  ].join('\n');
};

const describeSource = ({ source, place, offers, trouble, perSecond, perDay }: ProbedSource): string => {
  if (offers === null) return `${place}. ${source}: FAILED (${trouble})`;
  const limits = [
    [offers.spanMax, 'blocks a question'],
    [perSecond, 'requests a second'],
    [perDay, 'requests a day'],
  ].flatMap(([most, of]) => (most === null ? [] : [`at most ${most} ${of}`]));
  return [
    `${place}. ${source} lists ${offers.kinds.join(', ')}`,
    `has ${offers.has.join(', ')}`,
    limits.join(', ') || 'no limit is known',
  ].join('; ');
};
