import type { Address } from '../../model/address.ts';
import type { ControlKind } from '../../model/control-event.ts';
import type { PlacedControlEvent } from '../../model/control-reader.ts';
import { isReadSince } from '../../model/history-coverage.ts';
import type { ContiguousRange } from '../../model/transfer-reader.ts';
import type { QueryContext } from '../query-context.ts';

/** All events about an address and its authorities. */
const KINDS: readonly ControlKind[] = [
  'contract_created',
  'mint_created',
  'program_deployed',
  'program_upgraded',
  'authority_changed',
  'metadata',
  'code_delegated',
];

/** An authority can be handed to and fro without end, so no more changes than these are reported. */
const EVENTS_MAX = 1_000;

export type Control = {
  /** Oldest first. */
  readonly events: readonly PlacedControlEvent[];
  /** Whether the list is complete. */
  readonly isComplete: boolean;
  /** The time from which the chain's control events are kept; null when they are not kept. */
  readonly span: ContiguousRange | null;
};

/** The control events of the address itself. One round of queries. */
export const readControl = async (address: Address, { control, onChain }: QueryContext): Promise<Control> => {
  const [[read], [span = null]] = await Promise.all([
    control.eventsOf({ ...onChain, kinds: KINDS, order: 'newest_first', limit: EVENTS_MAX }, [{ address }]),
    control.controlSpan({}, [onChain.chain]),
  ]);
  return { events: read?.events.toReversed() ?? [], isComplete: read?.isCut === false, span };
};

const BIRTHS: ReadonlySet<ControlKind> = new Set(['contract_created', 'mint_created', 'program_deployed']);

/** The creation event; null when it is not kept. */
export const findBirth = ({ events }: Control): PlacedControlEvent | null =>
  events.find(({ kind }) => BIRTHS.has(kind)) ?? null;

/**
 * Whether the events cover every authority since the creation. For a contract they do not: its own code
 * decides who may issue, change or own it.
 */
export const isToldFromStart = (control: Control): boolean => {
  const birth = findBirth(control);
  if (birth === null || birth.kind === 'contract_created') return false;
  return control.isComplete && isReadSince(control.span, birth);
};
