import type { HistoryKind } from '../../investigate/model/history.ts';
import { SourceError } from '../nodes/source-error.ts';
import type { HistoryPage, HistorySource, ListedTransaction, ListQuestion } from './history-source.ts';
import type { PlannedSource } from './plan-sources.ts';

/** One of several sources failed; the others can go on. */
export class SourceFailed extends Error {
  override readonly name = 'SourceFailed';
  readonly source: HistorySource;
  readonly failure: SourceError;

  constructor(source: HistorySource, failure: SourceError) {
    super(failure.message, { cause: failure });
    this.source = source;
    this.failure = failure;
  }
}

export type UnitedPage = HistoryPage & {
  readonly sources: string;
  /** The kinds that a node lists. */
  readonly byNode: readonly HistoryKind[];
};

/** Pages of the first source, each with what the others list of the same window. Throws `SourceFailed`. */
export async function* listPages(
  [first, ...others]: readonly PlannedSource[],
  question: ListQuestion,
  signal: AbortSignal,
): AsyncGenerator<UnitedPage> {
  if (first === undefined) return;
  for await (const page of listOf(first, question, signal)) {
    const { source } = first;
    let united: UnitedPage = { ...page, sources: source.name, byNode: source.isNode ? page.covers : [] };
    const besides = await Promise.all(
      others.map((other) => collect(other, { ...question, first: page.first, last: page.last }, signal)),
    );
    for (const beside of besides) united = unite(united, beside);
    yield united;
  }
}

async function* listOf(
  { source, kinds }: PlannedSource,
  question: ListQuestion,
  signal: AbortSignal,
): AsyncGenerator<HistoryPage> {
  try {
    yield* source.list({ ...question, kinds }, signal);
  } catch (error) {
    signal.throwIfAborted();
    throw error instanceof SourceError ? new SourceFailed(source, error) : error;
  }
}

/** All pages of a window as one. */
const collect = async (
  planned: PlannedSource,
  question: ListQuestion,
  signal: AbortSignal,
): Promise<UnitedPage> => {
  const listed: ListedTransaction[] = [];
  let covers: readonly HistoryKind[] = planned.kinds;
  let lacks: HistoryPage['lacks'] = {};
  for await (const page of listOf(planned, question, signal)) {
    listed.push(...page.listed);
    covers = covers.filter((kind) => page.covers.includes(kind));
    lacks = { ...lacks, ...page.lacks };
  }
  const { first, last } = question;
  const { name, isNode } = planned.source;
  return { first, last, listed, covers, lacks, sources: name, byNode: isNode ? covers : [] };
};

const unite = (a: UnitedPage, b: UnitedPage): UnitedPage => ({
  ...a,
  listed: [...new Map([...a.listed, ...b.listed].map((each) => [each.id, each])).values()],
  covers: [...new Set([...a.covers, ...b.covers])],
  byNode: [...new Set([...a.byNode, ...b.byNode])],
  lacks: { ...a.lacks, ...b.lacks },
  sources: a.sources === b.sources ? a.sources : `${a.sources}, ${b.sources}`,
});
