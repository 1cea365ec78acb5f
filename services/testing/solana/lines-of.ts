/** What a program writes to the log that is called by the others before it, or by nobody. */
export const linesOf = (programs: readonly string[], ...lines: readonly string[]): string[] => [
  ...programs.map((program, at) => `Program ${program} invoke [${at + 1}]`),
  ...lines,
  ...programs.toReversed().map((program) => `Program ${program} success`),
];
