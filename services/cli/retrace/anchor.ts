import { createTraceSchema } from '../../api/trace/schema.ts';
import { CHAINS } from '../../investigate/model/chain.ts';
import type { TraceRequest } from '../../investigate/trace/trace-answer.ts';
import { systemClock } from '../../platform/clock.ts';
import type { TraceBody } from '../../sdk/create-spoor.ts';

/** Columns of an input, in the words of POST /trace. The other fields of that may be left out. */
export const NEEDED_COLUMNS = ['wallet', 'counterparty', 'signature', 'direction'] as const;
export const OTHER_COLUMNS = ['chain', 'time', 'sol', 'usd', 'window'] as const;

/** `at`: `line 7`, as messages name it. `cells`: what is not there is missing, empty or null. */
export type AnchorRow = { readonly at: string; readonly cells: Readonly<Record<string, unknown>> };

/** One transfer that is traced: as it is asked of a server, and as it is traced here. */
export type Anchor = {
  readonly at: string;
  /** Counted from 0 among the good rows. */
  readonly place: number;
  readonly body: TraceBody;
  readonly request: TraceRequest;
};

const NUMBERS: ReadonlySet<string> = new Set(['time', 'sol', 'usd', 'window']);
const schema = createTraceSchema(
  CHAINS.map(({ name }) => name),
  systemClock,
);

/** What is wrong with a row, as a sentence, or its anchor. `window`: of rows that say none. */
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
