/** The examples in a command's help: whole command lines. */
export const example = (...lines: readonly string[]): string =>
  `\nExample${lines.length === 1 ? '' : 's'}:\n${lines.map((line) => `  ${line}`).join('\n')}`;
