import { availableParallelism, cpus } from 'node:os';
import type { Writable } from 'node:stream';

/** One measured number, printed as one JSON line. `met` is null where there is no goal. */
export type Figure = {
  readonly name: string;
  /** The measured part, if one benchmark has several. */
  readonly subject?: string;
  /** The median of the runs. */
  readonly value: number;
  readonly unit: string;
  readonly goal: number | null;
  readonly met: boolean | null;
  readonly runs: number;
  readonly min: number;
  readonly max: number;
  /** The components, if one number says too little. */
  readonly details?: Readonly<Record<string, unknown>>;
};

/** A benchmark as `npm run bench -- <name>` finds it; `argv` are the arguments after the name. */
export type Bench = { readonly name: string; run(argv: readonly string[]): Promise<Figure[]> };

type Described = {
  readonly name: string;
  readonly unit: string;
  readonly subject?: string;
  /** The goal, if any: an upper or a lower bound. */
  readonly atMost?: number;
  readonly atLeast?: number;
};

/** Four digits of measured values; counts stay exact. */
const rounded = (value: number): number =>
  Number.isSafeInteger(value) ? value : Number(value.toPrecision(4));

/** A figure from measured values; throws without any, because it would count as a missed goal. */
export const toFigure = (
  { name, unit, subject, atMost, atLeast }: Described,
  values: readonly number[],
): Figure => {
  if (values.length === 0 || values.some(Number.isNaN)) throw new Error(`${name}: nothing was measured`);
  const sorted = values.toSorted((a, b) => a - b);
  const at = (index: number): number => rounded(sorted[index] ?? Number.NaN);
  const value = at(Math.floor((sorted.length - 1) / 2));
  const isMet = (atMost === undefined || value <= atMost) && (atLeast === undefined || value >= atLeast);
  const goal = atMost ?? atLeast ?? null;
  return {
    name,
    ...(subject === undefined ? {} : { subject }),
    value,
    unit,
    goal,
    met: goal === null ? null : isMet,
    runs: sorted.length,
    min: at(0),
    max: at(sorted.length - 1),
  };
};

/** The machine, without which figures mean nothing. */
export const describeMachine = (): string => {
  const model = cpus()[0]?.model.trim() ?? 'unknown processor';
  return `${availableParallelism()} × ${model}, ${process.platform} ${process.arch}, node ${process.version}`;
};

/** One JSON line per figure, and a summary as the last line. */
export const printFigures = (figures: readonly Figure[], out: Writable): void => {
  const machine = describeMachine();
  const lines = figures.map((figure) => JSON.stringify({ ...figure, machine }));
  const met = figures.filter((figure) => figure.met === true).length;
  const missed = figures.filter((figure) => figure.met === false).length;
  lines.push(JSON.stringify({ name: 'summary', figures: figures.length, met, missed }));
  out.write(`${lines.join('\n')}\n`);
};
