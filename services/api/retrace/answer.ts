import { z } from 'zod';
import { address, count, orNull, share, signature, text, unixSeconds } from '../contract/fields.ts';
import { traceAnswer } from '../trace/answer.ts';

export const JOB_STATES = ['running', 'paused', 'waiting', 'done', 'cancelled'] as const;

/** The body of a good answer about a job. */
export const retraceJob = z
  .object({
    job_id: text('Identifier of the job.'),
    state: z.enum(JOB_STATES).meta({
      description: 'paused: until the account can pay. waiting: for the time of the next run.',
    }),
    reason: orNull(text('insufficient_credits or key_revoked.'), 'not paused.'),
    run: count('Number of the run, from 1.'),
    anchors: count('Anchors of each run.'),
    done: count('Anchors of this run that are traced, and charged or free.'),
    refused: count('Anchors of this run that cannot be traced: free.'),
    charged: count('Anchors charged in all runs, each like a call of /trace.'),
    every_seconds: orNull(count('Seconds from the end of a run to the next.'), 'no schedule.'),
    asked_at: unixSeconds('When it was posted.'),
    kept_until: unixSeconds('When it and its results are forgotten.'),
    ended_at: orNull(unixSeconds('When the run ended.'), 'not yet.'),
    price: z
      .object({
        traces: count('From the plan.'),
        credits: count('Or from packs.'),
      })
      .meta({ description: 'Most that a run costs: anchors without data are free.' }),
    status_url: text('This answer again.'),
    results_url: text('The results.'),
    csv_url: text('The results as a file.'),
  })
  .meta({ id: 'RetraceJob', description: 'A job that traces many transfers.' });

const placed = z.object({
  address: address('The candidate wallet.'),
  rank: count('Its place in the list, from 1.'),
  confidence: share('Calibrated probability.'),
});
const cause = z
  .looseObject({
    kind: z
      .enum(['model', 'label', 'price', 'transfer', 'blocks'])
      .meta({ description: 'What differs; other fields give details.' }),
  })
  .meta({ id: 'RetraceCause', description: 'Something that the answer rests on and that changed.' });
const causes = z.array(cause).meta({ description: 'Why it changed.' });
const arrived = z.array(placed.extend({ causes }));
const change = z
  .object({
    new: arrived.meta({ description: 'Candidates that appeared.' }),
    lost: arrived.meta({ description: 'Candidates that are gone.' }),
    moved: z
      .array(
        z.object({
          address: address('The candidate wallet.'),
          before: placed.meta({ description: 'What it was.' }),
          after: placed.meta({ description: 'What it is.' }),
        }),
      )
      .meta({ description: 'Candidates with another rank or confidence.' }),
    answer: orNull(
      z
        .object({ before: text('traced, or a code.'), after: text('traced, or a code.') })
        .meta({ description: 'Whether it could be traced.' }),
      'traced both times.',
    ),
    causes: causes.meta({ description: 'All that the answers rest on and that changed.' }),
  })
  .meta({ id: 'RetraceChange', description: 'What changed since the run before.' });

/** The body of a good answer of GET /retrace/{id}/results. */
export const retraceResults = z
  .object({
    results: z
      .array(
        z.object({
          run: count('The run that found it; from the second on, only changes are listed.'),
          time: unixSeconds('When it was found.'),
          place: count('Place of the anchor in the request, from 0.'),
          anchor: z
            .looseObject({ signature: signature('The transfer that is traced.') })
            .meta({ description: 'The anchor as posted.' }),
          answer: orNull(
            traceAnswer.meta({ description: 'As POST /trace; `window.searched` is empty.' }),
            'the anchor cannot be traced.',
          ),
          refused: orNull(
            z
              .object({
                code: text('The error code of /trace.'),
                field: text('The wrong field.'),
                message: text('What is wrong.'),
              })
              .meta({ description: 'Why the anchor cannot be traced.' }),
            'it is traced.',
          ),
          change: orNull(change, 'first run.'),
        }),
      )
      .meta({ description: 'By run and anchor.' }),
    next_cursor: text('Start of the next page, also of results to come.'),
    has_more: z.boolean().meta({ description: 'Whether there are more now.' }),
  })
  .meta({ id: 'RetraceResults', description: 'What a job has found.' });
