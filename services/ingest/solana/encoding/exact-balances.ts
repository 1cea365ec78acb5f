type Revived = { readonly source?: string };
type ExactParse = (
  text: string,
  reviver: (key: string, value: unknown, context?: Revived) => unknown,
) => unknown;

const INTEGER = /^-?\d+$/;

/** `JSON.parse` whose reviver sees a number's source; the built-in types lack the third argument. */
const parseWithSource: ExactParse = JSON.parse;

/** Parses with bigints for integers that a double cannot hold; about ten times slower than `JSON.parse`. */
export const parseExactly = (json: string): unknown =>
  parseWithSource(json, (_key, value, context) =>
    typeof value === 'number' &&
    !Number.isSafeInteger(value) &&
    context?.source !== undefined &&
    INTEGER.test(context.source)
      ? BigInt(context.source)
      : value,
  );

const KEYS = { preBalances: '"preBalances":', postBalances: '"postBalances":' } as const;

type Balances = keyof typeof KEYS;
type Meta = Record<Balances, unknown[]>;

/**
 * Restores exact balances in a block that `JSON.parse` has rounded, reading only the balances again. Some exchange
 * holds more than 2^53 lamports and is in most blocks, which must not make each of them slow. @returns false if
 * the text has an unexpected layout; the block is then unchanged or partly exact
 */
export const makeBalancesExact = (json: string, metas: readonly Meta[]): boolean => {
  const names = Object.keys(metas[0] ?? {}).filter((key) => key === 'preBalances' || key === 'postBalances');
  let position = 0;
  // In the nodes' order, so that the text is read once.
  for (const meta of metas) {
    for (const name of names) {
      if (!hasRounded(meta[name])) continue;
      position = replaceBalances(json, position, meta, name);
      if (position === -1) return false;
    }
  }
  return true;
};

/**
 * Returns the end of the list, or −1 if no list equals the block's. No list is used twice, or the last one would
 * have none.
 */
const replaceBalances = (json: string, position: number, meta: Meta, name: Balances): number => {
  const rounded = meta[name];
  // Rare characters are found much faster than the name. Rounding keeps the first digits.
  const opening = `[${String(rounded[0]).slice(0, 5)}`;
  let start = json.indexOf(opening, position);
  for (; start !== -1; start = json.indexOf(opening, start + 1)) {
    if (!json.startsWith(KEYS[name], start - KEYS[name].length)) continue;
    const end = json.indexOf(']', start);
    const exact = withExact(rounded, json.slice(start + 1, end));
    if (exact === null) continue;
    meta[name] = exact;
    return end;
  }
  return -1;
};

/** The balances with the rounded ones taken from `list`; null if the list differs. */
const withExact = (rounded: readonly unknown[], list: string): unknown[] | null => {
  const written = list.split(',');
  if (written.length !== rounded.length) return null;
  const exact = [...rounded];
  for (let i = 0; i < rounded.length; i++) {
    if (!isRounded(rounded[i])) continue;
    const text = written[i] ?? '';
    if (Number(text) !== rounded[i] || !INTEGER.test(text)) return null;
    exact[i] = BigInt(text);
  }
  return exact;
};

export const isRounded = (value: unknown): boolean =>
  typeof value === 'number' && value > Number.MAX_SAFE_INTEGER;

/** A loop, because it visits every balance of every block. */
export const hasRounded = (values: readonly unknown[]): boolean => {
  for (let i = 0; i < values.length; i++) if (isRounded(values[i])) return true;
  return false;
};
