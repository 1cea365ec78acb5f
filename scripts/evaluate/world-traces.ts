import type { TruthLine } from '../../services/demo-world/truth.ts';
import { WINDOW_MAX_SECONDS } from '../../services/investigate/trace/rules.ts';
import type { Candidate, Trace } from '../../services/investigate/trace/trace-answer.ts';
import { type Figure, toFigure } from '../bench/figure.ts';
import {
  confidenceFigures,
  type GradedTrace,
  gradeTrace,
  isRankedByTimeWithin,
  isRankedWithin,
} from './grade-traces.ts';
import { findFalseLead, type PlaceboLead, type Placebos, placeboFigures } from './placebo.ts';
import {
  type Answered,
  answerQuestion,
  isLink,
  type Question,
  questionKey,
  readOwners,
  type WorldReaders,
} from './traced-world.ts';

type Graded = GradedTrace & { readonly hasEvidence: boolean };
export type DirectionAnswers = {
  readonly direction: Question['direction'];
  readonly questions: readonly Question[];
  /** By question; refused ones are missing. */
  readonly answers: ReadonlyMap<string, Answered>;
};

export const answerAll = async (
  direction: Question['direction'],
  questions: readonly Question[],
  readers: WorldReaders,
): Promise<DirectionAnswers> => {
  const answers = new Map<string, Answered>();
  for (const question of questions) {
    const answered = await answerQuestion(question, readers, { windowSeconds: WINDOW_MAX_SECONDS });
    if (answered !== null) answers.set(questionKey(question), answered);
  }
  return { direction, questions, answers };
};

/** Grades the traces of one direction; the truth is read here for the first time. */
export const gradeDirection = async (
  { direction, questions, answers }: DirectionAnswers,
  truth: readonly TruthLine[],
  readers: WorldReaders,
): Promise<Figure[]> => {
  const owner = readOwners(truth);
  const links = Map.groupBy(truth.filter(isLink), (link) =>
    questionKey({ anchor: direction === 'out' ? link.deposit : link.withdrawal, direction }),
  );
  const isOwnerOf =
    ({ anchor }: Question) =>
    ({ wallet }: Candidate): boolean =>
      owner(anchor.chain, wallet) === owner(anchor.chain, anchor.wallet);
  const graded = questions.map((question): Graded => {
    const key = questionKey(question);
    const own = links.get(key) ?? [];
    const hasEvidence = own.some((link) => link.type === 'mixer_link' && link.evidence[0] !== 'none');
    const answered = answers.get(key);
    const inWindow = own.some(
      ({ deposit, withdrawal }) => withdrawal.time - deposit.time <= WINDOW_MAX_SECONDS,
    );
    // A refused trace counts as not found.
    if (answered === undefined) return { rank: null, rankByTime: null, top: null, inWindow, hasEvidence };
    return { ...gradeTrace(answered.answer, isOwnerOf(question), inWindow), hasEvidence };
  });
  const subject = direction === 'out' ? 'forward' : 'backward';
  const placebos = await runPlacebos({ direction, questions, answers }, { truth, readers, isOwnerOf });
  return [...describe(subject, graded), ...placeboFigures({ command: 'world', subject }, placebos)];
};

const describe = (subject: string, graded: readonly Graded[]): Figure[] => {
  const share = (name: string, value: number, goal: { atLeast?: number } = {}): Figure =>
    toFigure({ name: `world.${name}`, unit: 'share', subject, ...goal }, [value]);
  const withDetails = graded.filter(({ hasEvidence }) => hasEvidence);
  const findable = withDetails.filter(({ inWindow }) => inWindow);
  const ranks = graded.flatMap(({ rank }) => rank ?? []);
  const meanRank = ranks.reduce((sum, rank) => sum + rank, 0) / ranks.length;
  return [
    toFigure({ name: 'world.anchors', unit: 'anchors', subject }, [graded.length]),
    share('evidence_share', withDetails.length / graded.length),
    {
      ...share('trace_top1', isRankedWithin(findable, 1), { atLeast: 0.9 }),
      details: {
        anchors: findable.length,
        // The other side lies outside the widest window.
        outside_window: withDetails.length - findable.length,
        with_those_outside: isRankedWithin(withDetails, 1),
        nearest_first: isRankedByTimeWithin(findable, 1),
      },
    },
    {
      ...share('trace_top1_all', isRankedWithin(graded, 1)),
      details: { nearest_first: isRankedByTimeWithin(graded, 1) },
    },
    {
      ...share('trace_top3', isRankedWithin(graded, 3)),
      details: { nearest_first: isRankedByTimeWithin(graded, 3) },
    },
    {
      ...toFigure({ name: 'world.trace_mean_rank', unit: 'rank', subject }, [meanRank]),
      details: { found: ranks.length },
    },
    ...confidenceFigures({ command: 'world', subject }, graded),
  ];
};

type PlaceboMaterial = {
  readonly truth: readonly TruthLine[];
  readonly readers: WorldReaders;
  readonly isOwnerOf: (question: Question) => (candidate: Candidate) => boolean;
};

/** Each owner's first deposit (backward: last withdrawal), in a window after (before) it. */
const runPlacebos = async (
  { direction, questions, answers }: DirectionAnswers,
  { truth, readers, isOwnerOf }: PlaceboMaterial,
): Promise<Placebos> => {
  const world = truth.find((line) => line.type === 'world');
  if (world === undefined) throw new Error('the world does not say when it was');
  const owner = readOwners(truth);
  const extreme = new Map<string, Question>();
  const order = ({ anchor }: Question): number => (direction === 'out' ? anchor.time : -anchor.time);
  for (const question of questions) {
    const key = owner(question.anchor.chain, question.anchor.wallet) ?? '';
    const known = extreme.get(key);
    if (known === undefined || order(question) < order(known)) extreme.set(key, question);
  }
  const leads: PlaceboLead[] = [];
  const real: Trace[] = [];
  for (const question of extreme.values()) {
    const answered = answers.get(questionKey(question));
    if (answered === undefined) continue;
    const lead = await findFalseLead({
      traceIn: async (placeboRange) => {
        const options = { windowSeconds: WINDOW_MAX_SECONDS, placeboRange };
        const placebo = await answerQuestion(question, readers, options);
        if (placebo === null) throw new Error('what could be traced cannot be traced any more');
        return placebo.answer;
      },
      real: answered.answer,
      isOwner: isOwnerOf(question),
      data: { fromUnixSeconds: world.start, toUnixSeconds: world.end },
    });
    if (lead === null) continue;
    leads.push(lead);
    real.push(answered.answer);
  }
  return { leads, real };
};
