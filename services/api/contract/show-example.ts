/** Stands for what is left out. */
const LEFT_OUT = '…';
const LINE_MAX = 110;

/**
 * An answer with only the named fields, such as `hops.to`, or a whole field, such as `end.next`. Everything else
 * in an object becomes one `…`.
 */
export const showExample = (answer: unknown, paths: readonly string[]): string =>
  print(paths.length === 0 ? answer : keep(answer, paths), '');

const keep = (value: unknown, paths: readonly string[]): unknown => {
  if (Array.isArray(value)) return value.map((entry) => keep(entry, paths));
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).flatMap(([name, member]) => {
    const below = paths.flatMap((path) => (path.startsWith(`${name}.`) ? [path.slice(name.length + 1)] : []));
    if (paths.includes(name)) return [[name, member] as const];
    return below.length > 0 ? [[name, keep(member, below)] as const] : [];
  });
  const isComplete = kept.length === Object.keys(value).length;
  return Object.fromEntries([...kept, ...(isComplete ? [] : [[LEFT_OUT, LEFT_OUT]])]);
};

/** JSON on as few lines as fit. */
const print = (value: unknown, indent: string): string => {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const isList = Array.isArray(value);
  const [open, close] = isList ? ['[', ']'] : ['{', '}'];
  const parts = (below: string) =>
    Object.entries(value).map(([name, member]) => {
      if (name === LEFT_OUT) return LEFT_OUT;
      return isList ? print(member, below) : `${JSON.stringify(name)}: ${print(member, below)}`;
    });
  const space = isList ? '' : ' ';
  const short = `${open}${space}${parts('').join(', ')}${space}${close}`;
  if (!short.includes('\n') && indent.length + short.length <= LINE_MAX) return short;
  const inner = `${indent}  `;
  return `${open}\n${parts(inner)
    .map((part) => inner + part)
    .join(',\n')}\n${indent}${close}`;
};
