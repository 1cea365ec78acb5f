import { expect, test } from 'vitest';
import { httpStatusOf, toEngineException } from './engine-exception.ts';

test('code, name and message of the engine’s own errors are kept', () => {
  const native = new Error(
    "Query failed: Code: 395. DB::Exception: Value passed to 'throwIf' (is) non-zero: a. (FUNCTION_THROW_IF_VALUE_IS_NON_ZERO)",
  );
  expect(toEngineException(native)).toMatchObject({
    code: 395,
    type: 'FUNCTION_THROW_IF_VALUE_IS_NON_ZERO',
    message: "Value passed to 'throwIf' (is) non-zero: a",
  });
});

test('an error without a code is told as it is, not dressed up', () => {
  expect(toEngineException(new Error('out of luck'))).toMatchObject({ code: 1002, message: 'out of luck' });
});

test('clients can tell by the status who is to blame', () => {
  const status = (code: number, type: string) =>
    httpStatusOf(toEngineException(new Error(`Code: ${code}. DB::Exception: x. (${type})`)));
  expect(status(62, 'SYNTAX_ERROR')).toBe(400);
  expect(status(60, 'UNKNOWN_TABLE')).toBe(404);
  expect(status(516, 'AUTHENTICATION_FAILED')).toBe(401);
  expect(status(497, 'ACCESS_DENIED')).toBe(403);
  expect(status(202, 'TOO_MANY_SIMULTANEOUS_QUERIES')).toBe(503);
  expect(status(241, 'MEMORY_LIMIT_EXCEEDED')).toBe(500);
});
