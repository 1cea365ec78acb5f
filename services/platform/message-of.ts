/** What a caught value says of itself: anything can be thrown. One that only gathers others says what they say. */
export const messageOf = (thrown: unknown): string => {
  if (thrown instanceof AggregateError && thrown.message === '')
    return thrown.errors.map(messageOf).join(', ');
  return thrown instanceof Error ? thrown.message : String(thrown);
};
