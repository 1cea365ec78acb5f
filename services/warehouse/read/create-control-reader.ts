import type { ControlReader } from '../../investigate/model/control-reader.ts';
import { type Clock, systemClock } from '../../platform/clock.ts';
import type { WarehouseClient } from '../../platform/warehouse-engine/warehouse.ts';
import { createContiguousRange } from './blocks/contiguous-range.ts';
import { readControlEvents } from './control/control-events.ts';
import { readFreezes } from './control/freezes.ts';
import { readTopCallers } from './control/top-callers.ts';

/** The control reader over the tables. `client` needs only the right to read them. */
export const createControlReader = (client: WarehouseClient, clock: Clock = systemClock): ControlReader => ({
  eventsOf: (...asked) => readControlEvents(client, 'subject', ...asked),
  eventsOfHolder: (...asked) => readControlEvents(client, 'holder', ...asked),
  eventsByParty: (...asked) => readControlEvents(client, 'party', ...asked),
  topCallers: (...asked) => readTopCallers(client, ...asked),
  freezes: (...asked) => readFreezes(client, ...asked),
  controlSpan: createContiguousRange(client, clock, 'control_blocks'),
});
