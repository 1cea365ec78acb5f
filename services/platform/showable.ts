const SHOWN_MAX = 200;
/** Characters that a terminal may interpret: escapes, newlines, and changes of the writing direction. */
const ORDERS = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu;

/** Makes a line with foreign text safe for a terminal. */
export const showableLine = (line: string): string => line.replaceAll(ORDERS, '?');

/** Untrusted text as part of such a line, cut at 200 characters. */
export const showable = (text: string): string => showableLine(text.slice(0, SHOWN_MAX));

/** Several such lines. */
export const showableLines = (text: string): string => text.split('\n').map(showableLine).join('\n');
