import { LedgerUnavailableError } from '../../credits/ledger.ts';
import { ReadFailedError } from '../../investigate/model/transfer-reader.ts';
import { TraceRefusedError } from '../../investigate/trace/trace-answer.ts';
import { PaymentsUnavailableError } from '../../payments/book/payment-book.ts';
import { LogError } from '../../platform/event-log/event-log.ts';
import type { ApiLogger, ApiMiddleware } from '../context.ts';
import { ApiError, ERRORS } from '../errors.ts';

/**
 * Turns every thrown error into the API's error form. Unexpected errors are logged in full and answered without
 * details.
 */
export const handleErrors =
  ({ logger }: { logger: ApiLogger }): ApiMiddleware =>
  async (ctx, next) => {
    try {
      await next();
    } catch (thrown) {
      const { requestId } = ctx.state;
      const { status, code, headers, body } = describeError(thrown, requestId);
      if (status >= 500) logger.error({ requestId, err: thrown }, 'request failed');
      ctx.state.errorCode = code;
      ctx.status = status;
      ctx.set(headers);
      ctx.body = body;
    }
  };

/** An error as a client sees it. */
export const describeError = (thrown: unknown, requestId: string) => {
  const { code, headers, fields, message } = toApiError(thrown);
  const told = { error: message, code, request_id: requestId };
  const body = fields === null ? told : { ...told, fields };
  return { ...{ status: ERRORS[code].status, code, headers }, body };
};

const UNAVAILABLE = [LedgerUnavailableError, PaymentsUnavailableError, LogError];

const toApiError = (thrown: unknown): ApiError => {
  if (thrown instanceof ApiError) return thrown;
  if (thrown instanceof ReadFailedError) {
    return new ApiError(thrown.code === 'aborted' ? 'client_closed' : thrown.code, { cause: thrown });
  }
  if (thrown instanceof TraceRefusedError) {
    const { code, message, field } = thrown;
    return new ApiError(code, { sentence: message, fields: [{ path: field, message }], cause: thrown });
  }
  if (UNAVAILABLE.some((kind) => thrown instanceof kind))
    return new ApiError('unavailable', { cause: thrown });
  // Refusals of Koa and its router, such as an undecodable path.
  if (isBadRequest(thrown)) return new ApiError('invalid_request', { cause: thrown });
  return new ApiError('internal_error', { cause: thrown });
};

const isBadRequest = (thrown: unknown): boolean =>
  thrown instanceof Error && 'status' in thrown && thrown.status === 400;
