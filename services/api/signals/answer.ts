import { z } from 'zod';
import { SEVERITIES } from '../../investigate/analyze/behaviours/behaviour.ts';
import { LEVELS } from '../../investigate/analyze/risk/score.ts';
import { share } from '../contract/fields.ts';

const text = (what: string) => z.string().meta({ description: what });

/** The body of GET /signals. */
export const signalsAnswer = z
  .object({
    versions: z.object({ score: z.int(), signals: z.int() }),
    score: text('The formula.'),
    levels: z.array(z.object({ level: z.enum(LEVELS), from: z.number() })),
    signals: z.array(
      z.object({
        code: text('As reasons name it.'),
        severity: z.enum(SEVERITIES),
        weight: share('Default weight.'),
        meaning: text('What it means.'),
        evidence: text('What an answer shows for it.'),
        full_share: share('Of exposure: the share at which it has its full weight.').nullable(),
      }),
    ),
  })
  .meta({ id: 'SignalsAnswer' });
