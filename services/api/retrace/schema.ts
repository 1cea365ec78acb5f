import { z } from 'zod';
import type { Clock } from '../../platform/clock.ts';
import { bodyError, chainField, needs, wholeNumber } from '../body-fields.ts';
import { createTraceSchema } from '../trace/schema.ts';

export const ANCHORS_MAX = 10_000;
const EVERY = { min: 60, max: 2_000_000 };
const ANCHORS = `a list of 1 to ${ANCHORS_MAX} bodies of POST /trace`;
const SECONDS = `a whole number of seconds from ${EVERY.min} to ${EVERY.max}`;

const listOf = <T extends z.ZodType>(anchor: T) => {
  const error = needs(ANCHORS);
  return z.array(anchor, { error }).min(1, { error }).max(ANCHORS_MAX, { error }).meta({
    description: 'Transfers to trace, each a body of POST /trace and a call of it to the account.',
  });
};

const shape = <T extends z.ZodType>(chains: readonly string[], anchor: T) =>
  z.strictObject(
    {
      anchors: listOf(anchor),
      chain: chainField(chains),
      every_seconds: wholeNumber(EVERY.min, EVERY.max, SECONDS).optional().meta({
        description:
          'Traces all of them again so many seconds after each end (an hour at least after a run that cost nothing), and charges them again, until the job is cancelled or 29 days old. Without it: once.',
      }),
    },
    { error: bodyError },
  );

/** The documented body of POST /retrace. */
export const createRetraceSchema = (chains: readonly string[], clock: Clock) =>
  shape(chains, createTraceSchema(chains, clock));

/**
 * The same without checking the anchors, which may be so many that other requests would wait for all of them.
 */
export const createRetraceFrame = (chains: readonly string[]) =>
  shape(chains, z.record(z.string(), z.unknown(), { error: needs('a body of POST /trace') }));
