/**
 * All errors: status, and a sentence for a person. Codes never change. Text from engines and libraries never
 * reaches a client.
 */
export const ERRORS = {
  invalid_request: { status: 400, sentence: 'The request is not valid.' },
  counterparty_not_traceable: { status: 400, sentence: 'The counterparty is not a known mixer or exchange.' },
  nothing_to_trace: {
    status: 400,
    sentence: 'The transfer moved no coin or stablecoin that could be traced.',
  },
  anchor_not_indexed: {
    status: 400,
    sentence: 'The transaction is not indexed here. Name its time, sol and usd.',
  },
  anchor_contradicted: { status: 400, sentence: 'The transaction contradicts the request.' },
  invalid_json: { status: 400, sentence: 'The body is not valid JSON.' },
  unauthorized: {
    status: 401,
    sentence: 'This route needs a valid key: send it as Authorization: Bearer or x-api-key.',
  },
  insufficient_credits: {
    status: 402,
    sentence:
      'The plan and the pack credits left cannot pay for this call. Buy credits or wait for the next period.',
  },
  invalid_payment: { status: 400, sentence: 'PAYMENT-SIGNATURE is not base64 JSON.' },
  payment_required: {
    status: 402,
    sentence: 'This call must be paid for: sign a payment from PAYMENT-REQUIRED, or send a key.',
  },
  settlement_failed: {
    status: 402,
    sentence:
      'The work was done, but the payment could not be settled. Sign a new payment to get the result.',
  },
  idempotency_key_taken: { status: 409, sentence: 'This Idempotency-Key was used for another request.' },
  call_in_progress: {
    status: 409,
    sentence: 'The call with this Idempotency-Key is still running. Send it again later to get its answer.',
  },
  payment_id_taken: { status: 409, sentence: 'This payment id was used for another request.' },
  not_found: { status: 404, sentence: 'Nothing was found at this path.' },
  method_not_allowed: {
    status: 405,
    sentence: 'This path does not support that method; Allow names the supported ones.',
  },
  request_timeout: { status: 408, sentence: 'The request was not sent in time.' },
  body_too_large: { status: 413, sentence: 'The body is too large.' },
  unsupported_media_type: {
    status: 415,
    sentence: 'The body must be sent as Content-Type: application/json, without a Content-Encoding.',
  },
  expectation_failed: { status: 417, sentence: 'The only supported expectation is 100-continue.' },
  misdirected_request: {
    status: 421,
    sentence:
      'This service does not answer for this host name. Its operator sets the name in SPOOR_PUBLIC_URL.',
  },
  headers_too_large: { status: 431, sentence: 'The headers are too large.' },
  too_many_calls: {
    status: 429,
    sentence: 'Three calls of this account or wallet are running; wait for one of them to end.',
  },
  cross_site: { status: 403, sentence: 'Requests from another site are refused.' },
  no_keys_needed: {
    status: 409,
    sentence: 'Calls need no key here and cost nothing, until the operator opens the first account.',
  },
  too_many_free_keys: {
    status: 429,
    sentence:
      'All keys of today for accounts that never had credits are used up. Buy credits first, or try again later.',
  },
  too_many_sessions: {
    status: 429,
    sentence:
      'This wallet has signed in a hundred times within twelve hours; use one of its sessions, or try again later.',
  },
  too_many_keys: { status: 409, sentence: 'The account has as many keys as it may; revoke one first.' },
  too_many_jobs: {
    status: 429,
    sentence: 'The account has ten jobs that have not ended; wait for one, or cancel one.',
  },
  job_not_ended: { status: 409, sentence: 'The job has not ended, or was cancelled: it cannot run again.' },
  case_changed: {
    status: 409,
    sentence: 'The case was changed elsewhere since it was read. Read it again first.',
  },
  not_computed_here: {
    status: 409,
    sentence:
      'This service did not compute an answer of this case, so it signs nothing. Ask again, and keep that.',
  },
  too_many_cases: { status: 409, sentence: 'The account keeps as many cases as it may; delete one first.' },
  /** Never read by anybody: the log's word for a client that went away. */
  client_closed: { status: 499, sentence: 'The client closed the request.' },
  internal_error: { status: 500, sentence: 'An internal error happened. Please report the request id.' },
  unavailable: {
    status: 503,
    sentence: 'The service cannot reach its data at the moment. Please try again.',
  },
  timeout: { status: 504, sentence: 'The answer took too long. Try again, or ask for less.' },
  settlement_unknown: {
    status: 504,
    sentence:
      'It is not known yet whether the payment was settled. Do not pay again: send the same payment later, and it ' +
      'fetches the result once it is settled.',
  },
} as const satisfies Record<string, { status: number; sentence: string }>;

export type ErrorCode = keyof typeof ERRORS;

/** What is wrong with one field; `path` is empty when it is the body as a whole. */
export type FieldProblem = { readonly path: string; readonly message: string };

export type ApiErrorOptions = ErrorOptions & {
  /** Replaces the table's sentence. */
  readonly sentence?: string;
  readonly fields?: readonly FieldProblem[];
  readonly headers?: Readonly<Record<string, string>>;
};

export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly fields: readonly FieldProblem[] | null;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: ErrorCode, { sentence, fields, headers, ...options }: ApiErrorOptions = {}) {
    super(sentence ?? ERRORS[code].sentence, options);
    this.name = 'ApiError';
    this.code = code;
    this.fields = fields ?? null;
    this.headers = headers ?? {};
  }
}
