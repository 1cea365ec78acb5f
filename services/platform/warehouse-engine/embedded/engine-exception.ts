import { messageOf } from '../../message-of.ts';

/** An error in the form ClickHouse gives it, from the engine or from the walls around it. */
export class EngineException extends Error {
  readonly code: number;
  readonly type: string;

  constructor(code: number, type: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'EngineException';
    this.code = code;
    this.type = type;
  }

  /** What `@clickhouse/client` parses into a `ClickHouseError`. */
  toBody(): string {
    return `Code: ${this.code}. DB::Exception: ${this.message}. (${this.type}) (version chDB)\n`;
  }
}

const FORM = /Code: (\d+)\. DB::Exception: ([\s\S]*?)\.? ?\(([A-Z][A-Z0-9_]+)\)\s*$/;

/** The binding throws plain errors whose message carries code and name. */
export function toEngineException(error: unknown): EngineException {
  if (error instanceof EngineException) return error;
  const message = messageOf(error);
  const match = FORM.exec(message);
  if (match?.[1] && match[3]) {
    return new EngineException(Number(match[1]), match[3], match[2] ?? '', { cause: error });
  }
  return new EngineException(1002, 'UNKNOWN_EXCEPTION', message, { cause: error });
}

const STATUS_BY_CODE = new Map<number, number>([
  ...[194, 516].map((code) => [code, 401] as const),
  ...[164, 192, 193, 497, 291, 452].map((code) => [code, 403] as const),
  ...[6, 26, 27, 28, 36, 38, 41, 43, 53, 62, 69, 70, 72, 117, 130, 223, 281, 321, 386, 441, 456, 457].map(
    (code) => [code, 400] as const,
  ),
  ...[16, 46, 47, 50, 56, 57, 60, 73, 81, 82, 115].map((code) => [code, 404] as const),
  [167, 413],
  [48, 501],
  [202, 503],
]);

export function httpStatusOf(exception: EngineException): number {
  return STATUS_BY_CODE.get(exception.code) ?? 500;
}
