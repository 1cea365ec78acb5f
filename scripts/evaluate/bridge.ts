import { parseArgs } from 'node:util';
import { type BridgeMoney, matchBridge } from '../../services/investigate/follow/bridges/match-bridge.ts';
import { say } from '../bench/bench-store.ts';
import { type Bench, type Figure, toFigure } from '../bench/figure.ts';
import { UsageError } from '../bench/run-chosen.ts';
import { readTable, type TableRow, TIME_MAX, tableIn } from './read-table.ts';

const FILES = { deposits: 'nomad-deposits', withdrawals: 'nomad-withdrawals' };
/** Started and never paid out: any match is wrong. */
const UNPAID = 'nomad-unmatched';

const COLUMNS = [
  ...['src_time_unix', 'dst_time_unix', 'dst_tx', 'dst_token'],
  ...['message_id', 'beneficiary', 'amount_raw'],
];

type Payout = BridgeMoney & { readonly tx: string };
type Crossing = {
  readonly departure: BridgeMoney;
  readonly token: string /** null: never. */;
  readonly paidBy: string | null;
};

const run = async (argv: readonly string[]): Promise<Figure[]> => {
  const { values } = parseArgs({ args: [...argv], options: { records: { type: 'string' } } });
  if (values.records === undefined) throw new UsageError('evaluate bridge needs --records DIR');
  const figures: Figure[] = [];
  for (const [direction, file] of Object.entries(FILES)) {
    const rows = await readTable(tableIn(values.records, file), COLUMNS);
    const unpaid =
      direction === 'withdrawals' ? await readTable(tableIn(values.records, UNPAID), COLUMNS) : [];
    say(`${rows.length} ${direction}, ${unpaid.length} never paid out`);
    for (const named of [true, false]) figures.push(...evaluate({ direction, rows, unpaid, named }));
  }
  return figures;
};

type Evaluated = {
  readonly direction: string;
  readonly rows: readonly TableRow[];
  readonly unpaid: readonly TableRow[];
  /** Whether the bridge's own numbers may be used. */
  readonly named: boolean;
};

const evaluate = ({ direction, rows, unpaid, named }: Evaluated): Figure[] => {
  const payouts = Map.groupBy(
    rows.map((row) => ({ token: row.key('dst_token'), payout: toPayout(row, named) })),
    ({ token, payout }) => `${token} ${payout.beneficiary}`,
  );
  const answers = [...rows, ...unpaid].map((row) => {
    const { departure, token, paidBy } = toCrossing(row, named);
    const toBeneficiary = payouts.get(`${token} ${departure.beneficiary}`) ?? [];
    const match = matchBridge(
      departure,
      toBeneficiary.map(({ payout }) => payout),
    );
    return match && { isRight: match.arrival.tx === paidBy, confidence: match.confidence };
  });
  const found = answers.filter((answer) => answer !== null);
  const right = found.filter(({ isRight }) => isRight).length;
  const subject = `${direction}, ${named ? 'with the numbers of messages' : 'by beneficiary, amount and time'}`;
  const share = (name: string, value: number, goal: { atLeast?: number; atMost?: number } = {}): Figure =>
    toFigure({ name: `bridge.${name}`, unit: 'share', subject, ...goal }, [value]);
  const confidence = found.reduce((sum, answer) => sum + answer.confidence, 0) / found.length;
  return [
    toFigure({ name: 'bridge.crossings', unit: 'crossings', subject }, [answers.length]),
    share('found_share', right / rows.length),
    share('precision', right / found.length, { atLeast: 0.95 }),
    share('mean_confidence', confidence),
    share('calibration_error', Math.abs(confidence - right / found.length), { atMost: 0.05 }),
  ];
};

const toPayout = (row: TableRow, named: boolean): Payout => ({
  ...sideOf(row, named),
  timeUnixSeconds: row.whole('dst_time_unix', TIME_MAX),
  tx: row.key('dst_tx'),
});

const toCrossing = (row: TableRow, named: boolean): Crossing => ({
  departure: { ...sideOf(row, named), timeUnixSeconds: row.whole('src_time_unix', TIME_MAX) },
  token: row.key('dst_token'),
  paidBy: row.ifTold('dst_tx', row.key),
});

const sideOf = (row: TableRow, named: boolean) => ({
  messageId: named ? row.ifTold('message_id', row.key) : null,
  beneficiary: row.key('beneficiary'),
  amountRaw: row.raw('amount_raw'),
});

export const evaluation: Bench = { name: 'bridge', run };
