/** An engine cannot run on this machine; the message says what is missing and what to do. */
export class EngineMissingError extends Error {
  readonly code = 'engine_missing';
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'EngineMissingError';
  }
}
