import type { TruthLine } from '../../services/demo-world/truth.ts';
import type { InsidersReport } from '../../services/investigate/insiders/insiders-report.ts';
import { say } from '../bench/bench-store.ts';
import { type Figure, toFigure } from '../bench/figure.ts';

type LaunchLine = Extract<TruthLine, { type: 'launch' }>;

const keyOf = (chain: string, token: string, address: string): string => `${chain} ${token} ${address}`;

/** An insider is one wallet of one token; its kinds are told apart. */
export const gradeInsiders = (reports: readonly InsidersReport[], truth: readonly TruthLine[]): Figure[] => {
  const launches = truth.filter((line): line is LaunchLine => line.type === 'launch');
  const told = new Map(
    reports.flatMap(({ request: { chain, token }, insiders }) =>
      insiders.map((insider) => [keyOf(chain.name, token, insider.address), insider] as const),
    ),
  );
  const real = new Map(
    launches.flatMap(({ chain, token, insiders }) =>
      insiders.map(({ address, kinds }) => [keyOf(chain, token, address), kinds] as const),
    ),
  );
  const right = [...told.keys()].filter((key) => real.has(key));
  for (const [key, { kinds }] of told) if (!real.has(key)) say(`no insider (${kinds.join()}): ${key}`);
  for (const [key, kinds] of real) if (!told.has(key)) say(`missed (${kinds.join()}): ${key}`);
  const kinds = right.flatMap((key) => (real.get(key) ?? []).map((kind) => ({ key, kind })));
  const namedKinds = kinds.filter(({ key, kind }) => told.get(key)?.kinds.some((each) => each === kind));
  const rightLaunches = launches.filter((line) =>
    reports.some(
      ({ request, launch, creator }) =>
        request.token === line.token && launch?.signature === line.tx && creator?.address === line.creator,
    ),
  );
  const subject = `${told.size} insiders told, ${real.size} real, of ${launches.length} tokens`;
  const share = (name: string, atLeast: number | null, part: number, all: number): Figure =>
    toFigure({ name: `insiders.${name}`, unit: 'share', subject, ...(atLeast !== null && { atLeast }) }, [
      all === 0 ? 0 : part / all,
    ]);
  return [
    share('precision', 0.95, right.length, told.size),
    share('recall', 0.9, right.length, real.size),
    share('kinds_named', null, namedKinds.length, kinds.length),
    share('launch_and_creator_right', null, rightLaunches.length, launches.length),
  ];
};
