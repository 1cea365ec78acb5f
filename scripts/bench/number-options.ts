import { parseArgs } from 'node:util';
import { UsageError } from './run-chosen.ts';

type Default = readonly [value: number, least?: number];

/** Options that are whole numbers, by their names. Throws `UsageError`, and Node's own for an option that is not known. */
export const numberOptions = <K extends string>(
  argv: readonly string[],
  defaults: Readonly<Record<K, Default>>,
): Record<K, number> => {
  const given = Object.entries<Default>(defaults);
  const options = Object.fromEntries(given.map(([name]) => [name, { type: 'string' as const }]));
  const { values } = parseArgs({ args: [...argv], options });
  const numbers = given.map(([name, [value, least]]) => [
    name,
    wholeNumber(name, String(values[name] ?? value), least),
  ]);
  return Object.fromEntries(numbers) as Record<K, number>;
};

/** Parses an option as a whole number of at least `least`. Throws `UsageError` with the option's name. */
export const wholeNumber = (name: string, text: string, least = 1): number => {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isSafeInteger(value) && value >= least) return value;
  throw new UsageError(`--${name} takes a whole number from ${least} on, not ${JSON.stringify(text)}`);
};
