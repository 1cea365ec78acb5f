import type { ControlEvent } from '../../../investigate/model/control-event.ts';

/** A control event without its number in the transaction. */
export type ControlDraft = Omit<ControlEvent, 'txIndex' | 'index'>;
