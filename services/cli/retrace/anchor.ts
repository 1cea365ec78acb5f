import { createTraceSchema } from '../../api/trace/schema.ts';
import { CHAINS } from '../../investigate/model/chain.ts';
import type { TraceRequest } from '../../investigate/trace/trace-answer.ts';
import { systemClock } from '../../platform/clock.ts';
import type { TraceBody } from '../../sdk/create-spoor.ts';

/** Columns of an input, named as in POST /trace. Optional fields may be missing. */
export const NEEDED_COLUMNS = ['wallet', 'counterparty', 'signature', 'direction'] as const;
export const OTHER_COLUMNS = ['chain', 'time', 'sol', 'usd', 'window'] as const;

/** `at`: `line 7`, as messages name it. `cells`: missing values are absent, empty or null. */
export type AnchorRow = { readonly at: string; readonly cells: Readonly<Record<string, unknown>> };

/** A transfer to trace, as a server and as the local store are asked. */
export type Anchor = {
  readonly at: string;
  /** Counted from 0 among the valid rows. */
  readonly place: number;
  readonly body: TraceBody;
  readonly request: TraceRequest;
};

const NUMBERS: ReadonlySet<string> = new Set(['time', 'sol', 'usd', 'window']);
const schema = createTraceSchema(
  CHAINS.map(({ name }) => name),
  systemClock,
);

/** The anchor of a row, or a sentence about what is wrong. `window`: for rows without one. */
export const parseAnchor = (
  { at, cells }: AnchorRow,
  place: number,
  window: number | undefined,
): Anchor | { readonly problem: string } => {
  const body: Record<string, unknown> = window === undefined ? {} : { window };
  for (const name of [...NEEDED_COLUMNS, ...OTHER_COLUMNS]) {
    const cell = cells[name];
    if (cell === undefined || cell === null || cell === '') continue;
    body[name] = NUMBERS.has(name) ? Number(cell) : String(cell);
  }
  const parsed = schema.safeParse(body);
  if (parsed.success) return { at, place, body: body as TraceBody, request: parsed.data };
  const problems = parsed.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`);
  return { problem: problems.join('; ') };
};
