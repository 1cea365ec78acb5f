const UNIX = /^(\d{9,10})(\d{3}|\d{6})?(\.\d+)?$/;
const DATE = /^(\d{4}-\d\d-\d\d)([ T](\d\d:\d\d(:\d\d(\.\d+)?)?))?( ?(Z|UTC|[+-]\d\d:?\d\d))?$/;

/**
 * Unix seconds of a time as lists write it: seconds, milli- or microseconds, or a date. A date without a zone
 * is UTC. null when it is none.
 */
export const readTime = (text: string): number | null => {
  const unix = UNIX.exec(text);
  if (unix) return Number(unix[1]);
  const [, day, , clock = '00:00', , , , zone = 'Z'] = DATE.exec(text) ?? [];
  if (day === undefined || !exists(day)) return null;
  const unixMs = Date.parse(`${day}T${clock}${zone === 'UTC' ? 'Z' : zone}`);
  return Number.isNaN(unixMs) ? null : Math.floor(unixMs / 1_000);
};

/** JavaScript parses the 31st of February as the 3rd of March. */
const exists = (day: string): boolean => {
  const unixMs = Date.parse(day);
  return !Number.isNaN(unixMs) && new Date(unixMs).toISOString().startsWith(day);
};
