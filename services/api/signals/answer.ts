import { z } from 'zod';
import { SEVERITIES } from '../../investigate/analyze/behaviours/behaviour.ts';
import { LEVELS } from '../../investigate/analyze/risk/score.ts';
import { orNull, share, text } from '../contract/fields.ts';

/** The body of GET /signals. */
export const signalsAnswer = z
  .object({
    versions: z
      .object({
        score: z.int().meta({ description: 'Version of the formula.' }),
        signals: z.int().meta({ description: 'Version of the list of signals.' }),
      })
      .meta({ description: 'As in `risk.versions`.' }),
    score: text('The formula of the score, 0 to 100.'),
    levels: z
      .array(
        z.object({
          level: z.enum(LEVELS).meta({ description: 'The level.' }),
          from: z.number().meta({ description: 'Lowest score of the level, 0 to 100.' }),
        }),
      )
      .meta({ description: 'Scores of the levels.' }),
    signals: z
      .array(
        z.object({
          code: text('Name of the signal, as reasons have it.'),
          severity: z.enum(SEVERITIES).meta({ description: 'How bad it is.' }),
          weight: share('Default weight.'),
          meaning: text('What it means.'),
          evidence: text('What an answer shows for it.'),
          full_share: orNull(share('Share of exposure with full weight.'), 'it is not based on exposure.'),
        }),
      )
      .meta({ description: 'All signals.' }),
  })
  .meta({ id: 'SignalsAnswer', description: 'How risk is scored.' });
