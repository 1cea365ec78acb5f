import type { AssertedLabel, LabelKind } from '../../investigate/model/label.ts';

type Candidate = Pick<
  AssertedLabel,
  'kind' | 'name' | 'source' | 'confidence' | 'validFrom' | 'validTo' | 'assertedAt'
>;

/** What must never be hidden behind a friendlier name, whatever its confidence; sanctions are the law. */
const OUTRANKING: readonly LabelKind[] = ['sanctioned', 'hack'];

/**
 * Which of the labels of one address is shown at a time (unix seconds), and null where none holds then:
 *
 * 1. Only labels that are valid at that time count. A sanction that was lifted lifts what any source says of a
 *    designation from before: lists without dates repeat it for years.
 * 2. `sanctioned` goes before `hack`, and both before every other kind.
 * 3. Then the higher confidence, then what was asserted last; then by name and source, so that the order in which labels
 *    came never decides.
 */
export const chooseLabel = <L extends Candidate>(labels: readonly L[], atUnixSeconds: number): L | null => {
  const liftedAt = lastLifting(labels, atUnixSeconds);
  const holding = labels.filter(
    (label) => isValid(label, atUnixSeconds) && (label.kind !== 'sanctioned' || begunAt(label) >= liftedAt),
  );
  return holding.toSorted(compareShown)[0] ?? null;
};

const begunAt = ({ validFrom }: Candidate): number => validFrom ?? Number.NEGATIVE_INFINITY;

const isValid = (label: Candidate, at: number): boolean =>
  begunAt(label) <= at && (label.validTo === null || at < label.validTo);

const lastLifting = (labels: readonly Candidate[], at: number): number =>
  labels.reduce(
    (last, { kind, validTo }) =>
      kind === 'sanctioned' && validTo !== null && validTo <= at ? Math.max(last, validTo) : last,
    Number.NEGATIVE_INFINITY,
  );

const rankOf = ({ kind }: Candidate): number =>
  OUTRANKING.includes(kind) ? OUTRANKING.indexOf(kind) : OUTRANKING.length;

/** Negative where `a` is shown rather than `b`. */
const compareShown = (a: Candidate, b: Candidate): number =>
  rankOf(a) - rankOf(b) ||
  b.confidence - a.confidence ||
  b.assertedAt - a.assertedAt ||
  compareText(a.name, b.name) ||
  compareText(a.source, b.source) ||
  compareText(a.kind, b.kind);

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
