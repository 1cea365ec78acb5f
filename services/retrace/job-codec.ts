import { openCodec } from '../platform/avro/codec.ts';
import type { SchemaRegistry } from '../platform/avro/schema-registry.ts';
import { openTaggedCodec } from '../platform/avro/tagged-codec.ts';
import type { JobEntry } from './job-events.ts';

export const JOBS = 'retrace.jobs';
export const RESULTS = 'retrace.results';

export type Page = { job_id: string; packed: Buffer };

/** Jobs and their pages in the log's format. */
export type JobCodec = Awaited<ReturnType<typeof openJobCodec>>;

export const openJobCodec = async (registry: SchemaRegistry) => ({
  events: await openTaggedCodec<'event', JobEntry>(registry, 'RetraceJobEvent', 'event'),
  pages: await openCodec<Page>(registry, 'RetracePage'),
});
