/** The message of a caught value: anything can be thrown. An error that only gathers others gives their messages. */
export const messageOf = (thrown: unknown): string => {
  if (thrown instanceof AggregateError && thrown.message === '')
    return thrown.errors.map(messageOf).join(', ');
  return thrown instanceof Error ? thrown.message : String(thrown);
};
