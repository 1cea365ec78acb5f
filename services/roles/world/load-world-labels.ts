import { openLabelEvents } from '../../events/label-events.ts';
import { csv } from '../../labels/formats/csv.ts';
import { openLabelFile } from '../../labels/formats/open-label-file.ts';
import { importLabels } from '../../labels/import-labels.ts';
import { KnownLabels } from '../../labels/known-labels.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Store } from '../store/open-store.ts';
import type { RunningWorld } from './start-world.ts';

/** Imports the public labels of a generated world into the log. */
export const loadWorldLabels = async (
  store: Pick<Store, 'log' | 'registry'>,
  world: Pick<RunningWorld, 'labels'>,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> => {
  const labels = await openLabelEvents(store.registry);
  const refused = ({ where, reason }: { where: string; reason: string }): void => {
    throw new Error(`${world.labels}, ${where}, ${reason}`);
  };
  await importLabels(
    {
      format: csv,
      file: openLabelFile(world.labels),
      known: await KnownLabels.read(store.log, labels),
      target: { log: store.log, labels },
      nowUnixSeconds: Math.floor(clock.nowUnixMs() / 1_000),
      events: { taken: () => {}, refused },
    },
    signal,
  );
};
