import type { Address } from '../../model/address.ts';
import type { ControlKind } from '../../model/control-event.ts';
import type { PlacedControlEvent } from '../../model/control-reader.ts';
import type { ContiguousRange } from '../../model/transfer-reader.ts';
import type { QueryContext } from '../query-context.ts';

/** All that says what an address is and who has power over it. */
const KINDS: readonly ControlKind[] = [
  'contract_created',
  'mint_created',
  'program_deployed',
  'program_upgraded',
  'authority_changed',
  'metadata',
];

/** Whoever has an authority can hand it to and fro: more changes than these are not told. */
const EVENTS_MAX = 1_000;

export type Control = {
  /** Oldest first. */
  readonly events: readonly PlacedControlEvent[];
  /** Whether there are no more. */
  readonly isComplete: boolean;
  /** Since when such events are kept of the chain; null where they are not. */
  readonly span: ContiguousRange | null;
};

/** What happened to the address itself. One round. */
export const readControl = async (address: Address, { control, limits }: QueryContext): Promise<Control> => {
  const [{ events, next }, span] = await Promise.all([
    control.eventsOf({ ...limits(), address, kinds: KINDS, order: 'newest_first', limit: EVENTS_MAX }),
    control.controlSpan(limits()),
  ]);
  return { events: events.toReversed(), isComplete: next === null, span };
};

const BIRTHS: ReadonlySet<ControlKind> = new Set(['contract_created', 'mint_created', 'program_deployed']);

/** The event by which it came to be; null where that is not kept. */
export const findBirth = ({ events }: Control): PlacedControlEvent | null =>
  events.find(({ kind }) => BIRTHS.has(kind)) ?? null;

/** Whether all events since then are kept, without a gap. */
export const isKeptSince = ({ span }: Pick<Control, 'span'>, unixSeconds: number): boolean =>
  span !== null && (span.beginsChain || span.fromUnixSeconds <= unixSeconds);

/**
 * Whether events tell every power over it since it came to be. Those of a contract are in its own code, which need not tell who may
 * issue, change or own it.
 */
export const isToldFromStart = (control: Control): boolean => {
  const birth = findBirth(control);
  if (birth === null || birth.kind === 'contract_created') return false;
  return control.isComplete && isKeptSince(control, birth.blockTime);
};
