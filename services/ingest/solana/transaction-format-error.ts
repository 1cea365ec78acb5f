/** One transaction contradicts itself (its keys were cut, an amount is no integer, …); the rest of the block stands. */
export class TransactionFormatError extends Error {
  override readonly name = 'TransactionFormatError';
  /** Stable, snake_case. */
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}
