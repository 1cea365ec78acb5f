import { InvalidArgumentError } from 'commander';

/** Parses unix seconds or an ISO 8601 time, which is UTC by default. */
export const parseTime = (text: string): number => {
  if (/^\d{1,10}$/.test(text)) return Number(text);
  const isIso = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})?)?$/.test(text);
  const unixMs = isIso
    ? Date.parse(/T.*(Z|[+-]\d{2}:\d{2})$/.test(text) || !text.includes('T') ? text : `${text}Z`)
    : Number.NaN;
  if (Number.isNaN(unixMs))
    throw new InvalidArgumentError('use unix seconds or a time such as 2025-09-01T12:00Z');
  return Math.floor(unixMs / 1_000);
};
