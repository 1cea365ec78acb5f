import type { AuthorityRole } from '../../model/control-event.ts';
import type { PlacedControlEvent } from '../../model/control-reader.ts';
import { isReadSince } from '../../model/history-coverage.ts';
import type { Authority, AuthorityChange, Done } from './control-profile.ts';
import { type Control, isToldFromStart } from './read-control.ts';

export const toDone = ({
  signature,
  blockTime,
  blockNumber,
}: Pick<PlacedControlEvent, 'signature' | 'blockTime' | 'blockNumber'>): Done => ({
  signature,
  time: blockTime,
  block: blockNumber,
});

/** Every change of these authorities, oldest first. `events` are of one subject, oldest first. */
export const findChanges = (
  events: readonly PlacedControlEvent[],
  roles: readonly AuthorityRole[],
): readonly AuthorityChange[] =>
  events.flatMap((event): AuthorityChange[] => {
    const role = roles.find((each) => each === event.detail);
    if (event.kind === 'program_deployed' && roles.includes('upgrade'))
      return [{ ...toDone(event), role: 'upgrade', from: null, to: event.party }];
    if (event.kind !== 'authority_changed' || role === undefined) return [];
    return [{ ...toDone(event), role, from: event.holder, to: event.party }];
  });

const UNKNOWN: Authority = { status: 'unknown', address: null, since: null };

/** The current holder of one of these authorities. A gap in the kept events may hide a change. */
export const findAuthority = (changes: readonly AuthorityChange[], control: Control): Authority => {
  const last = changes.at(-1);
  if (last === undefined) return isToldFromStart(control) ? { ...UNKNOWN, status: 'none' } : UNKNOWN;
  if (!isReadSince(control.span, { blockNumber: last.block })) return UNKNOWN;
  const { role: _, from: __, to, ...since } = last;
  return to === null ? { status: 'given_up', address: null, since } : { status: 'held', address: to, since };
};
