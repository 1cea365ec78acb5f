/** Some line readers also end a line at these characters, which JSON does not escape. */
const OTHER_ENDS = /[\u2028\u2029]/g;

/** One line of JSON, whatever the names in it contain. */
export const jsonLine = (value: object): string =>
  `${JSON.stringify(value).replace(OTHER_ENDS, (end) => (end === '\u2028' ? '\\u2028' : '\\u2029'))}\n`;
