import { HISTORY_KINDS } from '../../investigate/model/history.ts';
import type { HistoryStatus } from './status-probes.ts';

/** Who lists a chain's histories, and which kinds nobody does. */
export const presentHistory = ({ chain, sources }: HistoryStatus) => ({
  chain,
  sources: sources.map(({ source, place, offers, trouble, perSecond, perDay }) => ({
    ...{ source, place, trouble },
    kinds: [...(offers?.kinds ?? [])],
    has: [...(offers?.has ?? [])],
    blocks_max: offers?.spanMax ?? null,
    per_second: perSecond,
    per_day: perDay,
  })),
  unlisted: HISTORY_KINDS.filter((kind) => !sources.some(({ offers }) => offers?.kinds.includes(kind))),
});
