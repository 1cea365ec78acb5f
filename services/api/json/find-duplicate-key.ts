/** Matches strings and structural characters; everything between them is irrelevant. */
const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],]/gs;

type Level = { readonly keys: Set<string> | null; expectsKey: boolean };

/** The first key that stands twice in one object of `json`, which must be valid JSON; null if there is none. */
export const findDuplicateKey = (json: string): string | null => {
  const levels: Level[] = [];
  for (const token of json.match(TOKEN) ?? []) {
    const level = levels.at(-1);
    if (token === '{') levels.push({ keys: new Set(), expectsKey: true });
    else if (token === '[') levels.push({ keys: null, expectsKey: false });
    else if (token === '}' || token === ']') levels.pop();
    else if (level === undefined || level.keys === null) continue;
    else if (token === ',') level.expectsKey = true;
    else if (level.expectsKey) {
      const key = decodeKey(token);
      if (level.keys.has(key)) return key;
      level.keys.add(key);
      level.expectsKey = false;
    }
  }
  return null;
};

/** Keys are compared decoded: "a" and "\u0061" are one key. */
const decodeKey = (token: string): string =>
  token.includes('\\') ? String(JSON.parse(token)) : token.slice(1, -1);
