/**
 * A planned insert, recorded before it is made: the records from the committed offset to `until` (exclusive)
 * and the parts carried up to there, except the offsets in `skip` and the parts in `carried`, whose blocks
 * are not complete yet. After a crash the same insert is repeated, so that the engine recognises the batch by
 * its token.
 */
export type Intent = {
  readonly until: number;
  readonly skip: readonly number[];
  readonly carried: readonly number[];
};

/** The metadata of a commit, beside its offset. */
export type Progress = {
  /** Records before the offset that are not stored: parts of blocks whose other parts come later. */
  readonly carried: readonly number[];
  /** null: the previous batch was finished. */
  readonly intent: Intent | null;
};

/** How many runs `toRanges` makes of these sorted offsets. */
export const countRanges = (offsets: readonly number[]): number =>
  offsets.filter((offset, i) => offset - 1 !== offsets[i - 1]).length;

/** Offsets as `[first, count, first, count, …]`, because they come in runs. */
const toRanges = (offsets: readonly number[]): number[] => {
  const ranges: number[] = [];
  let next = Number.NaN;
  for (const offset of offsets) {
    if (offset === next) ranges[ranges.length - 1] = (ranges.at(-1) ?? 0) + 1;
    else ranges.push(offset, 1);
    next = offset + 1;
  }
  return ranges;
};

const fromRanges = (ranges: readonly number[] = []): number[] => {
  const offsets: number[] = [];
  for (let i = 0; i < ranges.length; i += 2) {
    const first = ranges[i] ?? 0;
    for (let k = 0; k < (ranges[i + 1] ?? 0); k += 1) offsets.push(first + k);
  }
  return offsets;
};

type Written = { until?: number; skip?: number[]; carried?: number[]; from?: number[] };

export const writeProgress = ({ carried, intent }: Progress): string => {
  const written: Written = {
    ...(intent && { until: intent.until, skip: toRanges(intent.skip) }),
    ...(intent && intent.carried.length > 0 && { carried: toRanges(intent.carried) }),
    ...(carried.length > 0 && { from: toRanges(carried) }),
  };
  return Object.keys(written).length > 0 ? JSON.stringify(written) : '';
};

export const readProgress = (metadata: string): Progress => {
  const { until, skip, carried, from } = (metadata === '' ? {} : JSON.parse(metadata)) as Written;
  const intent = until === undefined ? null : { until, skip: fromRanges(skip), carried: fromRanges(carried) };
  return { carried: fromRanges(from), intent };
};
