import type { TruthLine } from '../../services/demo-world/truth.ts';
import type { VictimsReport } from '../../services/investigate/victims/victims-report.ts';
import { say } from '../bench/bench-store.ts';
import { type Figure, toFigure } from '../bench/figure.ts';

type Drainer = Extract<TruthLine, { type: 'drainer' }>;

type Told = { readonly key: string; readonly method: string; readonly amountRaw: string };

/** A loss is one victim, one transaction and one asset. */
export const gradeVictims = (reports: readonly VictimsReport[], truth: readonly TruthLine[]): Figure[] => {
  const drainers = truth.filter((line): line is Drainer => line.type === 'drainer');
  const told = new Map(reports.flatMap(toldOf).map((loss) => [loss.key, loss]));
  const real = new Map(drainers.flatMap(realOf).map((loss) => [loss.key, loss]));
  const right = [...told.values()].filter(({ key }) => real.has(key));
  for (const key of told.keys()) if (!real.has(key)) say(`not a loss: ${key}`);
  for (const [key, { method }] of real) if (!told.has(key)) say(`missed (${method}): ${key}`);
  const subject = `${told.size} losses told, ${real.size} real`;
  const share = (name: string, atLeast: number | null, part: number, all: number): Figure =>
    toFigure({ name: `victims.${name}`, unit: 'share', subject, ...(atLeast !== null && { atLeast }) }, [
      all === 0 ? 0 : part / all,
    ]);
  const agree = (field: 'method' | 'amountRaw'): number =>
    right.filter((loss) => real.get(loss.key)?.[field] === loss[field]).length;
  return [
    share('precision', 0.98, right.length, told.size),
    share('recall', 0.98, right.length, real.size),
    share('method_right', null, agree('method'), right.length),
    share('amount_exact', null, agree('amountRaw'), right.length),
    ...gradeOpen(reports, drainers),
  ];
};

/** An open permission is one hand, one holder and one asset. */
const gradeOpen = (reports: readonly VictimsReport[], drainers: readonly Drainer[]): Figure[] => {
  const told = new Set(
    reports.flatMap(({ request: { chain, address }, revocable }) =>
      revocable.map(({ kind, holder, hand, asset }) =>
        [chain.name, address, kind, holder, hand, asset?.canonicalAsset ?? null].join(' '),
      ),
    ),
  );
  const real = new Set(
    drainers.flatMap(({ chain, address, open }) =>
      open.map(({ kind, holder, hand, asset }) => [chain, address, kind, holder, hand, asset].join(' ')),
    ),
  );
  for (const key of told.difference(real)) say(`not open: ${key}`);
  for (const key of real.difference(told)) say(`open and not told: ${key}`);
  const right = told.intersection(real).size;
  const subject = `${told.size} open grants told, ${real.size} real`;
  return [
    toFigure({ name: 'victims.revocable_precision', unit: 'share', subject, atLeast: 0.98 }, [
      told.size === 0 ? 0 : right / told.size,
    ]),
    toFigure({ name: 'victims.revocable_recall', unit: 'share', subject, atLeast: 0.98 }, [
      real.size === 0 ? 0 : right / real.size,
    ]),
  ];
};

const toldOf = ({ request, victims }: VictimsReport): Told[] =>
  victims.flatMap(({ address, losses }) =>
    losses.map(({ signature, asset, method, amountRaw }) => ({
      key: `${request.chain.name} ${request.address} ${address} ${signature} ${asset.canonicalAsset}`,
      method,
      amountRaw: String(amountRaw),
    })),
  );

const realOf = ({ chain, address, victims }: Drainer): Told[] =>
  victims.map((loss) => ({
    key: `${chain} ${address} ${loss.address} ${loss.tx} ${loss.asset}`,
    method: loss.method,
    amountRaw: loss.amount_raw,
  }));
