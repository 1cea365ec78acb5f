type Revived = { readonly source?: string };
type ExactParse = (
  text: string,
  reviver: (key: string, value: unknown, context?: Revived) => unknown,
) => unknown;

/** `JSON.parse` whose reviver sees the source of a number; the built-in types lack the third argument. */
const parseWithSource: ExactParse = JSON.parse;

/** Parses with every integer that a double cannot hold as bigint; about ten times slower than `JSON.parse`. */
export const parseExactly = (json: string): unknown =>
  parseWithSource(json, (_key, value, context) =>
    typeof value === 'number' &&
    !Number.isSafeInteger(value) &&
    context?.source !== undefined &&
    /^-?\d+$/.test(context.source)
      ? BigInt(context.source)
      : value,
  );

type Balances = 'preBalances' | 'postBalances';
type Meta = Record<Balances, unknown>;

/**
 * Puts the exact balances into a block that `JSON.parse` has rounded, reading only the balances again: some exchange
 * holds more than 2^53 lamports and is in most blocks, which must not make each of them slow.
 * @returns false when the text is not laid out as expected; the block is then as it was or partly exact
 */
export const makeBalancesExact = (json: string, metas: readonly Meta[]): boolean =>
  replaceBalances(json, metas, 'preBalances') && replaceBalances(json, metas, 'postBalances');

const replaceBalances = (json: string, metas: readonly Meta[], name: Balances): boolean => {
  const key = `"${name}"`;
  let position = 0;
  for (const meta of metas) {
    const found = json.indexOf(key, position);
    if (found === -1) return false;
    const start = json.indexOf('[', found);
    const end = json.indexOf(']', start);
    position = end;
    const rounded = meta[name];
    if (!Array.isArray(rounded) || end === -1) return false;
    if (!rounded.some(isRounded)) continue;
    const exact = parseArray(json.slice(start, end + 1));
    // Inside a log message the key's quotes are escaped; any other stray one puts the numbers out of step.
    if (exact?.length !== rounded.length || exact.some((value, i) => Number(value) !== rounded[i]))
      return false;
    meta[name] = exact;
  }
  return true;
};

const parseArray = (text: string): unknown[] | null => {
  try {
    const parsed = parseExactly(text);
    return Array.isArray(parsed) ? parsed : null;
  } catch {
    return null;
  }
};

export const isRounded = (value: unknown): boolean =>
  typeof value === 'number' && value > Number.MAX_SAFE_INTEGER;
