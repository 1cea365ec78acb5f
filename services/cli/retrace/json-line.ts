/** Readers of lines end one at these, too, which JSON leaves as they are. */
const OTHER_ENDS = /[\u2028\u2029]/g;

/** As one line of JSON, whatever names stand in it. */
export const jsonLine = (value: object): string =>
  `${JSON.stringify(value).replace(OTHER_ENDS, (end) => (end === '\u2028' ? '\\u2028' : '\\u2029'))}\n`;
