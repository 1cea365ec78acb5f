import { type AssertedLabel, isPassing, type Label, type LabelKind } from '../../investigate/model/label.ts';
import { authoritiesNamed, authoritiesSpeaking } from './authorities.ts';
import { CURATED_SOURCE } from './curated-source.ts';

type Candidate = Pick<
  AssertedLabel,
  'kind' | 'name' | 'source' | 'creator' | 'confidence' | 'validFrom' | 'validTo' | 'assertedAt'
>;

/** Kinds that a friendlier name must never hide, whatever its confidence. */
const OUTRANKING: readonly LabelKind[] = ['sanctioned', 'hack'];

/**
 * Which of the labels of one address is shown at a time (unix seconds), and null where none holds then:
 *
 * 1. Only labels that are valid at that time count. An authority that lifts a sanction lifts its own designation from before
 *    in whatever list, and what lists say that name no authority: without dates they repeat it for years. It does not
 *    lift what another authority decided, and a list that is no authority lifts nothing by naming an address no more.
 * 2. `sanctioned` goes before `hack`, and both before every other kind.
 * 3. Then the higher confidence, then what was asserted last; then by name and source, so that the order in which labels
 *    came never decides.
 */
export const chooseLabel = <L extends Candidate>(labels: readonly L[], atUnixSeconds: number): L | null => {
  const liftings = labels.filter((label) => isLifting(label, atUnixSeconds));
  const holding = labels.filter((label) => isValid(label, atUnixSeconds) && !isLifted(label, liftings));
  return holding.toSorted(compareShown)[0] ?? null;
};

/** The label shown, and what else the address is if a sanction or theft hides it. */
export const describeLabels = (labels: readonly Candidate[], atUnixSeconds: number): Label | null => {
  const shown = chooseLabel(labels, atUnixSeconds);
  if (shown === null) return null;
  const { name, kind } = shown;
  if (isPassing(kind)) return { name, kind };
  const passing = chooseLabel(
    labels.filter((label) => isPassing(label.kind)),
    atUnixSeconds,
  )?.kind;
  return passing && isPassing(passing) ? { name, kind, passing } : { name, kind };
};

const begunAt = ({ validFrom }: Candidate): number => validFrom ?? Number.NEGATIVE_INFINITY;

const isValid = (label: Candidate, at: number): boolean =>
  begunAt(label) <= at && (label.validTo === null || at < label.validTo);

/** The labels, each lifted one with its end. */
export const endLifted = <L extends Candidate>(labels: readonly L[]): readonly L[] => {
  const liftings = labels.filter((label) => isLifting(label, Number.POSITIVE_INFINITY));
  return labels.map((label) => {
    if (label.validTo !== null || !isLifted(label, liftings)) return label;
    const designating = authoritiesDesignating(label);
    const ends = liftings
      .filter((lifting) => authoritiesLifting(lifting).some((authority) => designating.includes(authority)))
      .flatMap(({ validTo }) => validTo ?? []);
    // Hearsay names no authority and falls with any.
    const all = ends.length > 0 ? ends : liftings.flatMap(({ validTo }) => validTo ?? []);
    return { ...label, validTo: Math.max(...all) };
  });
};

const isLifting = ({ kind, validTo }: Candidate, at: number): boolean =>
  kind === 'sanctioned' && validTo !== null && validTo <= at;

/** The designating authority has lifted it. A label without an authority falls with whatever it may have repeated. */
const isLifted = (label: Candidate, liftings: readonly Candidate[]): boolean => {
  if (label.kind !== 'sanctioned' || liftings.length === 0) return false;
  const since = liftings.filter(({ validTo }) => validTo !== null && begunAt(label) < validTo);
  const lifting = since.flatMap(authoritiesLifting);
  return (
    lifting.length > 0 && authoritiesDesignating(label).every((authority) => lifting.includes(authority))
  );
};

/** An authority lifts by its own list; our entries name removed parties. Others cannot lift. */
const authoritiesLifting = (label: Candidate): readonly string[] =>
  label.source === CURATED_SOURCE ? authoritiesNamed(label) : authoritiesSpeaking(label);

const authoritiesDesignating = (label: Candidate): readonly string[] => {
  const speaking = authoritiesSpeaking(label);
  return speaking.length > 0 ? speaking : authoritiesNamed(label);
};

const rankOf = ({ kind }: Candidate): number =>
  OUTRANKING.includes(kind) ? OUTRANKING.indexOf(kind) : OUTRANKING.length;

/** Negative if `a` goes before `b`. */
const compareShown = (a: Candidate, b: Candidate): number =>
  rankOf(a) - rankOf(b) ||
  b.confidence - a.confidence ||
  b.assertedAt - a.assertedAt ||
  compareText(a.name, b.name) ||
  compareText(a.source, b.source) ||
  compareText(a.kind, b.kind);

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
