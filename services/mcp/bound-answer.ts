/** A list that was cut. */
export type Truncated = { readonly path: string; readonly shown: number; readonly total: number };

/** How many entries of each list are shown. */
export type Detail = 'summary' | 'full';

const ENTRIES_MAX: Readonly<Record<Detail, number>> = { summary: 5, full: 100 };
/** About 20,000 tokens, which clients of language models accept from one tool. */
const BYTES_MAX = 60_000;

/**
 * Shortens an answer's lists, deepest first, until it is small enough for a language model, and names them. Only
 * lists change, so the answer still fits its schema.
 */
export const boundAnswer = (
  answer: unknown,
  detail: Detail,
): { readonly answer: unknown; readonly truncated: readonly Truncated[] } => {
  for (let most = ENTRIES_MAX[detail]; ; most = Math.floor(most / 2)) {
    const truncated: Truncated[] = [];
    const bounded = cut(answer, '', most, truncated);
    if (most === 0 || JSON.stringify(bounded).length <= BYTES_MAX) return { answer: bounded, truncated };
  }
};

const cut = (value: unknown, path: string, most: number, truncated: Truncated[]): unknown => {
  if (Array.isArray(value)) {
    if (value.length > most) truncated.push({ path, shown: most, total: value.length });
    return value.slice(0, most).map((entry, index) => cut(entry, `${path}[${index}]`, most, truncated));
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      cut(member, path === '' ? name : `${path}.${name}`, most, truncated),
    ]),
  );
};
