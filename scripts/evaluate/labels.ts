import { parseArgs } from 'node:util';
import { openLabelEvents } from '../../services/events/label-events.ts';
import type { Label } from '../../services/investigate/model/label.ts';
import { csv } from '../../services/labels/formats/csv.ts';
import { openLabelFile } from '../../services/labels/formats/open-label-file.ts';
import { type ImportEvents, importLabels } from '../../services/labels/import-labels.ts';
import { KnownLabels } from '../../services/labels/known-labels.ts';
import { systemClock } from '../../services/platform/clock.ts';
import { loadCuratedLabels } from '../../services/roles/sink/load-curated-labels.ts';
import { type RunningLabels, startLabels } from '../../services/roles/sink/start-labels.ts';
import { createTransferReader } from '../../services/warehouse/read/create-transfer-reader.ts';
import { type BenchStore, logger, say, secondsOf, withStore } from '../bench/bench-store.ts';
import { type Bench, type Figure, toFigure } from '../bench/figure.ts';
import { UsageError } from '../bench/run-chosen.ts';
import { BadInputError } from './read-table.ts';

const ADDRESSES_EACH = 1_000;
const LOOK_MS = 50;

type Listed = Label & { readonly chain: string; readonly address: string };

/**
 * How many addresses of a list (`address,chain,name,kind`) are known, and with the list's kind: by shipped labels,
 * and by lists imported first (`address,chain,name,kind,source`). Rows without an address of a served chain are
 * counted separately.
 */
const run = async (argv: readonly string[]): Promise<Figure[]> => {
  const { values } = parseArgs({
    args: [...argv],
    options: { list: { type: 'string' }, import: { type: 'string', multiple: true, default: [] } },
  });
  const { list } = values;
  if (list === undefined) throw new UsageError('--list takes a CSV file: address,chain,name,kind');
  const { listed, refused } = await readList(list);
  if (listed.length + refused === 0) throw new BadInputError(list, 'has no rows');
  return withStore(async (bench) => {
    const labels = startLabels({ ...bench, logger });
    try {
      const seconds = await secondsOf(() => fill(bench, values.import, labels));
      say(`labels read in within ${seconds.toFixed(0)} s`);
      return grade({ listed, refused, shown: await lookUp(bench, listed) });
    } finally {
      await labels.stop();
    }
  });
};

const signal = new AbortController().signal;

const fill = async (
  { store }: BenchStore,
  lists: readonly string[],
  running: RunningLabels,
): Promise<void> => {
  await loadCuratedLabels(store, systemClock, signal);
  const labels = await openLabelEvents(store.registry);
  for (const path of lists) await importList(path, { log: store.log, labels });
  while (!(await running.isSettled())) await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
};

/** Returns the number of refused rows. */
const importList = async (
  path: string,
  target: NonNullable<Parameters<typeof importLabels>[0]['target']> | null,
  onTaken: ImportEvents['taken'] = () => {},
): Promise<number> => {
  let refused = 0;
  const events: ImportEvents = {
    taken: onTaken,
    refused: ({ where, address, reason }) => {
      refused += 1;
      say(`${path}: ${where}: ${address} ${reason}`);
    },
  };
  const nowUnixSeconds = Math.floor(systemClock.nowUnixMs() / 1_000);
  const known = new KnownLabels();
  await importLabels(
    { format: csv, file: openLabelFile(path), known, target, nowUnixSeconds, events },
    signal,
  );
  if (refused > 0)
    say(`${path}: ${refused} rows were refused: they name no address of a chain that is served`);
  return refused;
};

/** Each address once, as first listed, and the number of refused rows. */
const readList = async (path: string): Promise<{ listed: Listed[]; refused: number }> => {
  const listed = new Map<string, Listed>();
  const refused = await importList(path, null, (label) => {
    const key = `${label.chain} ${label.address}`;
    if (!listed.has(key)) listed.set(key, label);
  });
  return { listed: [...listed.values()], refused };
};

const lookUp = async (
  { warehouse }: BenchStore,
  listed: readonly Listed[],
): Promise<(Label | undefined)[]> => {
  const reader = createTransferReader(warehouse.reader);
  const shown = new Map<string, Label>();
  for (const [chain, same] of Map.groupBy(listed, (each) => each.chain)) {
    for (let from = 0; from < same.length; from += ADDRESSES_EACH) {
      const addresses = same.slice(from, from + ADDRESSES_EACH).map(({ address }) => address);
      const limits = { signal: AbortSignal.timeout(30_000), timeoutMs: 30_000 };
      for (const [at, label] of (await reader.labels({ chain }, addresses, limits)).entries())
        if (label !== null) shown.set(`${chain} ${addresses[at]}`, label);
    }
  }
  return listed.map(({ chain, address }) => shown.get(`${chain} ${address}`));
};

export const grade = ({
  listed,
  refused,
  shown,
}: {
  listed: readonly Listed[];
  refused: number;
  shown: readonly (Label | undefined)[];
}): Figure[] => {
  const found = shown.filter((label) => label !== undefined).length;
  const right = listed.filter(({ kind }, i) => shown[i]?.kind === kind).length;
  const share = (part: number, all: number): number[] => [all === 0 ? 0 : part / all];
  const kinds = Map.groupBy(listed.keys(), (i) => listed[i]?.kind);
  for (const [kind, at] of kinds) {
    const known = at.filter((i) => shown[i] !== undefined);
    const same = known.filter((i) => shown[i]?.kind === kind);
    say(`${kind}: ${at.length} listed, ${known.length} known, ${same.length} of the same kind`);
  }
  return [
    toFigure({ name: 'labels.found', unit: 'addresses' }, [found]),
    toFigure({ name: 'labels.total', unit: 'addresses' }, [listed.length]),
    toFigure({ name: 'labels.refused', unit: 'rows' }, [refused]),
    toFigure({ name: 'labels.coverage', unit: 'share' }, share(found, listed.length)),
    toFigure(
      { name: 'labels.same_kind_share', unit: 'share', subject: `${found} found` },
      share(right, found),
    ),
  ];
};

export const evaluation: Bench = { name: 'labels', run };
