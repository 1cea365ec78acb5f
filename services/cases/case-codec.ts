import { openCodec } from '../platform/avro/codec.ts';
import type { SchemaRegistry } from '../platform/avro/schema-registry.ts';
import { openTaggedCodec } from '../platform/avro/tagged-codec.ts';
import type { CaseEntry } from './decider/case.ts';

export const CASES = 'cases.events';
export const STEPS = 'cases.steps';

/** A step as it lies in the log; `packed` is its JSON, deflated. */
export type StepRecord = { case_id: string; packed: Buffer };

/** Cases and their steps in the log's format. */
export type CaseCodec = Awaited<ReturnType<typeof openCaseCodec>>;

export const openCaseCodec = async (registry: SchemaRegistry) => ({
  events: await openTaggedCodec<'event', CaseEntry>(registry, 'CaseEvent', 'event'),
  steps: await openCodec<StepRecord>(registry, 'CaseStep'),
});
