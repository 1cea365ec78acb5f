/** A union of records as code has it: the record's name beside its fields, which are in camel case. */
type Tagged = { readonly type: string };

type Plain = string | number | boolean | null | Uint8Array | { readonly [field: string]: Plain };

const NAMESPACE = 'spoor.';
const snakeNames = new Map<string, string>();
const camelNames = new Map<string, string>();

const remember = (names: Map<string, string>, name: string, convert: () => string): string => {
  const known = names.get(name) ?? convert();
  names.set(name, known);
  return known;
};
const toSnake = (name: string): string =>
  remember(snakeNames, name, () => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
const toCamel = (name: string): string =>
  remember(camelNames, name, () => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()));

const rename = (fields: object, to: (name: string) => string): Record<string, Plain> => {
  const renamed: Record<string, Plain> = {};
  for (const [name, value] of Object.entries(fields) as [string, Plain][]) {
    const isRecord = typeof value === 'object' && value !== null && !(value instanceof Uint8Array);
    renamed[to(name)] = isRecord ? rename(value, to) : value;
  }
  return renamed;
};

/** As avsc takes the branch of a union: `{ 'spoor.Name': { snake_case fields } }`. */
export const toBranch = ({ type, ...fields }: Tagged): Record<string, object> => ({
  [NAMESPACE + type]: rename(fields, toSnake),
});

/** As avsc gives it, back to the record's name beside its fields. Which records there are is for the caller to know. */
export const fromBranch = <T extends Tagged>(branch: object): T => {
  const [[name, fields] = ['', {}]] = Object.entries(branch);
  // The schema has checked the fields; which type they make up only the caller knows.
  return { type: name.slice(NAMESPACE.length), ...rename(fields as object, toCamel) } as unknown as T;
};
