const SHOWN_MAX = 200;
/** What a terminal may take for orders: escapes, new lines, and what turns the direction of writing. */
const ORDERS = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu;

/** A line that may hold what somebody else wrote, fit for a terminal. */
export const showableLine = (line: string): string => line.replaceAll(ORDERS, '?');

/** What somebody else wrote, as part of such a line: cut at 200 characters. */
export const showable = (text: string): string => showableLine(text.slice(0, SHOWN_MAX));

/** Several such lines. */
export const showableLines = (text: string): string => text.split('\n').map(showableLine).join('\n');
