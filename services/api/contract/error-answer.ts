import { z } from 'zod';
import { ERRORS, type ErrorCode } from '../errors.ts';

/** The body of every answer that is an error. */
export const errorAnswer = z
  .object({
    error: z.string().meta({ description: 'What happened and what to do, as a sentence for a person.' }),
    code: z
      .enum(Object.keys(ERRORS) as [ErrorCode, ...ErrorCode[]])
      .meta({ description: 'Stable code for programs.' }),
    request_id: z.string().meta({ description: 'The same as the header x-request-id; name it in reports.' }),
    fields: z
      .array(
        z.object({
          path: z.string().meta({ description: 'Name of the field; empty for the body as a whole.' }),
          message: z.string().meta({ description: 'What is wrong with the field.' }),
        }),
      )
      .optional()
      .meta({ description: 'Only with code invalid_request: each wrong field.' }),
  })
  .meta({ id: 'Error', description: 'An error.' });
