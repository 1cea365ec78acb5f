import type { z } from 'zod';
import { ApiError, type FieldProblem } from './errors.ts';
import { showKey } from './json/parse-json.ts';

/** The maximum number of problems listed. */
const FIELDS_MAX = 20;

/** Parses the body, or throws `ApiError` `invalid_request` that names every wrong field. */
export const validate = <T>(schema: z.ZodType<T>, body: unknown): T => {
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  throw invalid(...result.error.issues.flatMap(toProblems).slice(0, FIELDS_MAX));
};

/** An `ApiError` `invalid_request` that names these fields. */
export const invalid = (...fields: readonly FieldProblem[]): ApiError => {
  const sentence = fields.map(({ path, message }) =>
    path === '' ? `The body ${message}` : `\`${path}\` ${message}`,
  );
  return new ApiError('invalid_request', { fields, sentence: `${sentence.join('; ')}.` });
};

const toProblems = (issue: z.core.$ZodIssue): FieldProblem[] => {
  const path = issue.path.map(String);
  return issue.code === 'unrecognized_keys'
    ? issue.keys.map((key) => ({ path: [...path, showKey(key)].join('.'), message: 'is not a known field' }))
    : [{ path: path.join('.'), message: issue.message }];
};
