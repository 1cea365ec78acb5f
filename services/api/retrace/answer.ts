import { z } from 'zod';
import { address, count, orNull, share, signature, text, unixSeconds } from '../contract/fields.ts';
import { traceAnswer } from '../trace/answer.ts';

export const JOB_STATES = ['running', 'paused', 'waiting', 'done', 'cancelled'] as const;

/** The body of a good answer about a job. */
export const retraceJob = z
  .object({
    job_id: text('Identifier of the job.'),
    state: z.enum(JOB_STATES).meta({
      description:
        'paused: the account cannot pay, and it goes on when it can. waiting: the next run has its time yet to come.',
    }),
    reason: orNull(text('Why it is paused: insufficient_credits or key_revoked.'), 'it is not paused.'),
    run: count('Which run this is, from 1.'),
    anchors: count('How many anchors each run has.'),
    done: count('How many anchors of this run are traced, and charged or free.'),
    refused: count('How many anchors of this run cannot be traced; they are free.'),
    charged: count('How many anchors were charged, of all runs: each what a call of /trace costs.'),
    every_seconds: orNull(
      count('Seconds from the end of a run to the next.'),
      'it runs when it is asked to.',
    ),
    asked_at: unixSeconds('When it was asked for.'),
    kept_until: unixSeconds('When it and its results are forgotten.'),
    ended_at: orNull(unixSeconds('When the run ended.'), 'it has not ended.'),
    price: z
      .object({
        traces: count('Traces that a run takes from the plan.'),
        credits: count('Or so many pack credits, where the plan cannot pay.'),
      })
      .meta({ description: 'What a run costs at most: anchors without data cost nothing.' }),
    status_url: text('Where this answer is had again.'),
    results_url: text('Where the results are.'),
    csv_url: text('Where the results are as a file.'),
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
      .meta({ description: 'What the two answers do not share; the other fields say it.' }),
  })
  .meta({ id: 'RetraceCause', description: 'What an answer rests on and that is not what it was.' });
const causes = z.array(cause).meta({ description: 'What it changed by.' });
const arrived = z.array(placed.extend({ causes }));
const change = z
  .object({
    new: arrived.meta({ description: 'Candidates that were not there before.' }),
    lost: arrived.meta({ description: 'Candidates that are there no more.' }),
    moved: z
      .array(
        z.object({
          address: address('The candidate wallet.'),
          before: placed.meta({ description: 'What it was.' }),
          after: placed.meta({ description: 'What it is.' }),
        }),
      )
      .meta({ description: 'Candidates at another place or with another confidence.' }),
    answer: orNull(
      z
        .object({ before: text('traced, or a code.'), after: text('traced, or a code.') })
        .meta({ description: 'Where the anchor could not be traced before, or cannot now.' }),
      'it was and is traced.',
    ),
    causes: causes.meta({ description: 'All that the two answers do not share of what they rest on.' }),
  })
  .meta({ id: 'RetraceChange', description: 'What changed since the run before.' });

/** The body of a good answer of GET /retrace/{id}/results. */
export const retraceResults = z
  .object({
    results: z
      .array(
        z.object({
          run: count('The run that found it, from 1. After the first only what changed is listed.'),
          time: unixSeconds('When it was found.'),
          place: count('Place of the anchor in the list that was asked for, from 0.'),
          anchor: z
            .looseObject({ signature: signature('The transfer that is traced.') })
            .meta({ description: 'The anchor as it was asked for.' }),
          answer: orNull(
            traceAnswer.meta({ description: 'As POST /trace; `window.searched` is empty.' }),
            'the anchor cannot be traced.',
          ),
          refused: orNull(
            z
              .object({
                code: text('The code that POST /trace answers.'),
                field: text('The field of the anchor that is wrong.'),
                message: text('What is wrong, as a sentence.'),
              })
              .meta({ description: 'Why the anchor cannot be traced.' }),
            'it is traced.',
          ),
          change: orNull(change, 'it is of the first run.'),
        }),
      )
      .meta({ description: 'In the order of runs and anchors.' }),
    next_cursor: text('Where the next results begin, also those that are not there yet.'),
    has_more: z.boolean().meta({ description: 'Whether there are more already.' }),
  })
  .meta({ id: 'RetraceResults', description: 'What a job has found.' });
