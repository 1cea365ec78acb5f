import { createHash } from 'node:crypto';
import { parseArgs } from 'node:util';
import { openLabelEvents } from '../../services/events/label-events.ts';
import type { AssertedLabel } from '../../services/investigate/model/label.ts';
import { answersByKey } from '../../services/investigate/model/query.ts';
import { systemClock } from '../../services/platform/clock.ts';
import type { HeldLabels } from '../../services/warehouse/labels/held-labels.ts';
import { insertLabels } from '../../services/warehouse/labels/insert-labels.ts';
import { createTransferReader } from '../../services/warehouse/read/create-transfer-reader.ts';
import { type BenchStore, say, secondsOf, withHeldLabels, withStore } from './bench-store.ts';
import { type Bench, type Figure, toFigure } from './figure.ts';
import { wholeNumber } from './number-options.ts';

const LABELS = 1_000_000;
const BATCH = 50_000;
const ADDRESSES = 1_000;
const QUESTIONS = 300;
const WARM_UP = 30;
const CHAIN = 'ethereum';

/** Looks up 1,000 addresses, half of them known, with N labels in the table. */
const run = async (argv: readonly string[]): Promise<Figure[]> => {
  const { values } = parseArgs({
    args: [...argv],
    options: { labels: { type: 'string' }, transfers: { type: 'string' } },
  });
  // `--transfers` sizes all benchmarks of questions; here it is the number of labels.
  const [name, text = String(LABELS)] =
    values.labels === undefined ? ['transfers', values.transfers] : ['labels', values.labels];
  const labels = wholeNumber(name, text, ADDRESSES);
  return withStore(async (bench) => {
    await fill(bench, labels);
    return withHeldLabels(bench, async (held) => toFigures(labels, await measure(bench, labels, held)));
  });
};

const addressOf = (at: number): string =>
  `0x${createHash('sha1').update(`labelled address ${at}`).digest('hex')}`;

const labelOf = (at: number): AssertedLabel => ({
  chain: CHAIN,
  address: addressOf(at),
  name: `alder ${at}`,
  kind: at % 3 === 0 ? 'exchange' : 'contract',
  entity: 'alder',
  category: 'exchange',
  source: `list ${at % 7}`,
  creator: 'bench',
  confidence: 0.7,
  validFrom: null,
  validTo: null,
  inheritedFrom: null,
  evidence: 'https://example.org/list',
  assertedAt: 1_760_000_000,
});

const fill = async ({ store, warehouse }: BenchStore, labels: number): Promise<void> => {
  const events = await openLabelEvents(store.registry);
  const seconds = await secondsOf(async () => {
    for (let from = 0; from < labels; from += BATCH) {
      const batch = Array.from({ length: Math.min(BATCH, labels - from) }, (_, i) => ({
        sequence: from + i,
        event: { type: 'LabelAsserted' as const, label: labelOf(from + i) },
      }));
      await store.log.append(batch.map(({ event }) => events.assert(event.label)));
      await insertLabels(warehouse.writer, batch);
    }
    // As the engine leaves the table without imports for a while.
    await warehouse.writer.command({ query: 'OPTIMIZE TABLE labels FINAL' });
  });
  say(`${labels} labels in ${seconds.toFixed(0)} s`);
};

type Measured = { readonly lookUpsMs: number[]; readonly selectsMs: number[] };

const measure = async ({ warehouse }: BenchStore, labels: number, held: HeldLabels): Promise<Measured> => {
  const reader = createTransferReader(warehouse.reader, systemClock, held);
  const addressesOf = (question: number): string[] =>
    Array.from({ length: ADDRESSES }, (_, i) =>
      addressOf(i % 2 === 0 ? (question * 7_919 + i * 104_729) % labels : labels + question * ADDRESSES + i),
    );
  const lookUp = async (addresses: readonly string[]): Promise<void> => {
    const limits = { signal: AbortSignal.timeout(30_000), timeoutMs: 30_000 };
    const known = await answersByKey(
      (common, keys) => reader.labels(common, keys, limits),
      { chain: CHAIN },
      addresses,
    );
    const expected = new Set(addresses.filter((_, i) => i % 2 === 0)).size;
    if (known.size !== expected) throw new Error(`${known.size} of ${expected} labels were found`);
  };
  const selectOne = async () =>
    (await warehouse.reader.query({ query: 'SELECT 1', format: 'JSONCompact' })).json();
  const measured: Measured = { lookUpsMs: [], selectsMs: [] };
  for (let question = -WARM_UP; question < QUESTIONS; question += 1) {
    const addresses = addressesOf(question + WARM_UP);
    const selectMs = 1_000 * (await secondsOf(selectOne));
    const lookUpMs = 1_000 * (await secondsOf(() => lookUp(addresses)));
    if (question < 0) continue;
    measured.selectsMs.push(selectMs);
    measured.lookUpsMs.push(lookUpMs);
  }
  return measured;
};

const toFigures = (labels: number, { lookUpsMs, selectsMs }: Measured): Figure[] => {
  const subject = `${ADDRESSES} addresses of ${labels} labels`;
  const sorted = lookUpsMs.toSorted((a, b) => a - b);
  const p99 = sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN;
  const ratios = lookUpsMs.map((ms, i) => ms / (selectsMs[i] ?? Number.NaN));
  return [
    toFigure({ name: 'labels.p50_ms', unit: 'ms', subject }, lookUpsMs),
    toFigure({ name: 'labels.p99_ms', unit: 'ms', subject, atMost: 10 }, [p99]),
    toFigure({ name: 'labels.p50_over_select_1', unit: 'look-up over SELECT 1', subject }, ratios),
  ];
};

export const bench: Bench = { name: 'labels', run };
