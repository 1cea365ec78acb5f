import type { Step } from '../../../sdk/read-steps.ts';
import { formatSpan, shorten } from './format.ts';

/** What a running call has said of its work so far. */
export type Progress = {
  /** Histories that were read. */
  readonly read: number;
  /** Those that are being read, by chain and address, the newest last. */
  readonly reading: ReadonlyMap<string, Step>;
};

export const NOTHING_YET: Progress = { read: 0, reading: new Map() };

export const hear = ({ read, reading }: Progress, step: Step): Progress => {
  const key = `${step.chain} ${step.address}`;
  const others = [...reading].filter(([other]) => other !== key);
  return step.kind === 'reading'
    ? { read, reading: new Map([...others, [key, step]]) }
    : { read: read + 1, reading: new Map(others) };
};

/** "reading 0x12ab…89cde on base, about 40 seconds left; 2 histories read"; null where nothing was said. */
export const describeProgress = ({ read, reading }: Progress): string | null => {
  const newest = [...reading.values()].at(-1);
  const parts = [
    ...(newest === undefined ? [] : [describeReading(newest, reading.size - 1)]),
    ...(read === 0 ? [] : [`${read} ${read === 1 ? 'history' : 'histories'} read`]),
  ];
  return parts.length === 0 ? null : parts.join('; ');
};

const describeReading = ({ chain, address, seconds_left: left }: Step, others: number): string =>
  [
    `reading ${shorten(address)} on ${chain}`,
    ...(others > 0 ? [`and ${others} more`] : []),
    ...(left === null ? [] : [`about ${formatSpan(left)} left`]),
  ].join(', ');
