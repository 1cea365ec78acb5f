/** One measured number, printed as one JSON line. `met` is null where there is no goal. */
export type Figure = {
  readonly name: string;
  /** The median of the runs. */
  readonly value: number;
  readonly unit: string;
  readonly goal: number | null;
  readonly met: boolean | null;
  readonly runs: number;
  readonly min: number;
  readonly max: number;
};

type Described = { readonly name: string; readonly unit: string };

/** A figure without a goal, from at least one measured value. */
export const toFigure = ({ name, unit }: Described, values: readonly number[]): Figure => {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (index: number): number => Number((sorted[index] ?? Number.NaN).toPrecision(4));
  return {
    name,
    value: at(Math.floor((sorted.length - 1) / 2)),
    unit,
    goal: null,
    met: null,
    runs: sorted.length,
    min: at(0),
    max: at(sorted.length - 1),
  };
};
