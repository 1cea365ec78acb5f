import type { ControlEvent } from '../../../investigate/model/control-event.ts';

/** A control event that its transaction has not numbered yet. */
export type ControlDraft = Omit<ControlEvent, 'txIndex' | 'index'>;
