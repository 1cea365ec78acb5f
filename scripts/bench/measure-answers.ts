import type { BulkOptions } from '../../services/demo-world/bulk-transfers.ts';
import { SEQUENCE_SLOTS } from '../../services/events/event-sequence.ts';
import type { DecodedBlock } from '../../services/investigate/model/block.ts';
import { systemClock } from '../../services/platform/clock.ts';
import { deriveFacts } from '../../services/warehouse/derive/derive-facts.ts';
import { firstFunders } from '../../services/warehouse/derive/first-funders.ts';
import { tokenFirsts } from '../../services/warehouse/derive/token-firsts.ts';
import { createAssetReader } from '../../services/warehouse/read/assets/assets.ts';
import { createPriceReader } from '../../services/warehouse/read/assets/price.ts';
import { createCaseReader } from '../../services/warehouse/read/create-case-reader.ts';
import { createControlReader } from '../../services/warehouse/read/create-control-reader.ts';
import { createFunderReader } from '../../services/warehouse/read/create-funder-reader.ts';
import { createTokenReader } from '../../services/warehouse/read/create-token-reader.ts';
import { createTransferReader } from '../../services/warehouse/read/create-transfer-reader.ts';
import { type BenchStore, say, secondsOf, withStore } from './bench-store.ts';
import { type Figure, toFigure } from './figure.ts';
import { fillTables } from './fill-tables.ts';
import { median, percentile } from './percentile.ts';

const ASKED = ['account_entries', 'swaps', 'transfers'];
const WARM_UP = 5;

/** The readers of cases on real tables. */
export const caseReaders = ({ warehouse: { reader } }: BenchStore) => ({
  cases: createCaseReader(reader),
  funders: createFunderReader(reader),
  controls: createControlReader(reader),
  tokens: createTokenReader(reader),
  reader: createTransferReader(reader),
  prices: createPriceReader(reader),
  assets: createAssetReader(reader),
  clock: systemClock,
  signal: new AbortController().signal,
});

type Measuring = {
  readonly name: string;
  readonly bulk: BulkOptions;
  readonly questions: number;
  /** What follows the last block. */
  readonly after?: (last: DecodedBlock) => Iterable<DecodedBlock>;
  readonly ask: (readers: ReturnType<typeof caseReaders>, at: number) => Promise<unknown>;
};

/** Asks questions one after the other, each with a `SELECT 1`, over noise of this many transfers. */
export const measureAnswers = ({ name, bulk, questions, after, ask }: Measuring): Promise<Figure[]> =>
  withStore(async (bench) => {
    await fillTables(bench, { bulk, asked: ASKED, ...(after && { after }) });
    const { writer } = bench.warehouse;
    // Block numbers serve as sequences, so that they lie in every lane.
    const lanes = [...Array(SEQUENCE_SLOTS).keys()].map((lane) => ({ lane, end: Number.MAX_SAFE_INTEGER }));
    const settled = { lanes, depth: () => 0, signal: new AbortController().signal };
    await deriveFacts(writer, settled, [firstFunders, tokenFirsts]);
    const readers = caseReaders(bench);
    const [answersMs, selectsMs]: [number[], number[]] = [[], []];
    for (let at = -WARM_UP; at < questions; at++) {
      const selectMs = 1_000 * (await secondsOf(() => selectOne(bench)));
      const answerMs = 1_000 * (await secondsOf(() => ask(readers, at + WARM_UP)));
      if (at < 0) continue;
      selectsMs.push(selectMs);
      answersMs.push(answerMs);
    }
    say(`${questions} answers, p50 ${median(answersMs).toFixed(1)} ms`);
    const subject = `${bulk.transfers} transfers`;
    return [
      toFigure({ name: `${name}.p50_ms`, unit: 'ms', subject }, answersMs),
      toFigure({ name: `${name}.p99_ms`, unit: 'ms', subject, atMost: 1_000 }, [percentile(answersMs, 0.99)]),
      toFigure({ name: `${name}.p50_over_select_1`, unit: 'an answer over SELECT 1', subject }, [
        median(answersMs) / median(selectsMs),
      ]),
    ];
  });

const selectOne = async ({ warehouse }: BenchStore): Promise<void> => {
  await (await warehouse.reader.query({ query: 'SELECT 1', format: 'JSONCompact' })).json();
};
