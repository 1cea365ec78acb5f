import { openLabelEvents } from '../../events/label-events.ts';
import { curated, curatedFiles } from '../../labels/curated/curated.ts';
import { importLabels } from '../../labels/import-labels.ts';
import { identityOf, KnownLabels } from '../../labels/known-labels.ts';
import { CURATED_SOURCE } from '../../labels/rules/curated-source.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Store } from '../store/open-store.ts';

/**
 * Writes the shipped labels into the log: new ones are asserted, dropped ones revoked. Returns how many changed.
 * Throws if one is invalid, because they are part of the code.
 */
export const loadCuratedLabels = async (
  store: Pick<Store, 'log' | 'registry'>,
  clock: Clock,
  signal: AbortSignal,
): Promise<number> => {
  const labels = await openLabelEvents(store.registry);
  const known = await KnownLabels.read(store.log, labels, CURATED_SOURCE);
  const target = { log: store.log, labels };
  const nowUnixSeconds = Math.floor(clock.nowUnixMs() / 1_000);
  let shipped = new Set<string>();
  let changed = 0;
  const events = {
    taken: (_: unknown, outcome: string) => {
      if (outcome !== 'known') changed += 1;
    },
    refused: ({ where, address, reason }: { where: string; address: string; reason: string }) => {
      throw new Error(`the curated label ${where}, ${address}, ${reason}`);
    },
  };
  for (const file of curatedFiles()) {
    const said = await importLabels({ format: curated, file, known, target, nowUnixSeconds, events }, signal);
    shipped = shipped.union(said.identities);
  }
  const gone = known.ofWhole().filter((label) => !shipped.has(identityOf(label)));
  const reason = 'is not among the labels that ship any more';
  await store.log.append(gone.map((label) => labels.revoke({ ...label, reason, revokedAt: nowUnixSeconds })));
  return changed + gone.length;
};
