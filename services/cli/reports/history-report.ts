import { presentHistory } from '../../api/status/present-history.ts';
import type { HistoryStatus, SourceStatus } from '../../api/status/status-probes.ts';

/** What `doctor --history` tells of a chain, as one JSON line. */
export const reportHistory = (history: HistoryStatus) => ({ name: 'history', ...presentHistory(history) });

/** The same for a person. */
export const describeHistory = (history: HistoryStatus): string => {
  const { unlisted } = reportHistory(history);
  return [
    `histories of ${history.chain}:`,
    ...history.sources.map((source) => `  ${describeSource(source)}`),
    ...(unlisted.length === 0 ? [] : [`  nobody lists: ${unlisted.join(', ')}`]),
  ].join('\n');
};

const describeSource = ({ source, place, offers, trouble, perSecond, perDay }: SourceStatus): string => {
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
