import { openLabelEvents } from '../events/label-events.ts';
import { curated, curatedFiles } from '../labels/curated/curated.ts';
import { importLabels } from '../labels/import-labels.ts';
import { KnownLabels } from '../labels/known-labels.ts';
import type { Clock } from '../platform/clock.ts';
import type { Store } from './open-store.ts';

/**
 * Brings the labels that ship with the service into the log, those that are not there yet; gives how many were new or say
 * something else now. Throws where one of them is wrong: they are part of the code.
 */
export const loadCuratedLabels = async (
  store: Pick<Store, 'log' | 'registry'>,
  clock: Clock,
  signal: AbortSignal,
): Promise<number> => {
  const labels = await openLabelEvents(store.registry);
  const known = await KnownLabels.read(store.log, labels);
  const target = { log: store.log, labels };
  const nowUnixSeconds = Math.floor(clock.nowUnixMs() / 1_000);
  let added = 0;
  const events = {
    taken: (_: unknown, outcome: string) => {
      if (outcome !== 'known') added += 1;
    },
    refused: ({ at, address, reason }: { at: string; address: string; reason: string }) => {
      throw new Error(`the curated label ${at}, ${address}, ${reason}`);
    },
  };
  for (const file of curatedFiles())
    await importLabels({ format: curated, file, known, target, nowUnixSeconds, events }, signal);
  return added;
};
