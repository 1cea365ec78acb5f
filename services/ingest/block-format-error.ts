/**
 * The whole block lacks the shape that its node API promises, so nothing of it can be decoded. An error in one
 * transaction or log is a `DecodeProblem`; the rest of the block stands.
 */
export class BlockFormatError extends Error {
  /** Stable, snake_case: `not_an_object`, `field_missing`, `field_malformed`, `count_mismatch`, … */
  readonly code: string;

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'BlockFormatError';
    this.code = code;
  }
}
