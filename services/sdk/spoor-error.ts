/** An error answer of the service. */
type ErrorBody = {
  readonly error: string;
  readonly code: string;
  readonly request_id: string;
  readonly fields?: readonly { readonly path: string; readonly message: string }[];
};

/** The service refused a call or failed. `code` is stable, the message is for a person. */
export class SpoorError extends Error {
  readonly code: string;
  readonly status: number;
  /** Name it in reports, because it is in the service's log. null if no Spoor service answered. */
  readonly requestId: string | null;
  /** Each wrong field of the request. */
  readonly fields: readonly { readonly path: string; readonly message: string }[];

  constructor(status: number, body: unknown) {
    const known = isErrorBody(body) ? body : null;
    super(known?.error ?? `The server answered ${status} without a reason.`);
    this.name = 'SpoorError';
    this.status = status;
    this.code = known?.code ?? 'unknown';
    this.requestId = known?.request_id ?? null;
    this.fields = known?.fields ?? [];
  }
}

const isErrorBody = (body: unknown): body is ErrorBody =>
  typeof body === 'object' && body !== null && 'code' in body && 'error' in body;
