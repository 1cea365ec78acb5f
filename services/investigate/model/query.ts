/**
 * One indexed query in every implementation: what all keys have in common, the keys, each once, and one answer a key, in
 * their order. Throws `ReadFailedError` where it cannot answer.
 */
export type Query<Common, Key, Answer> = (
  common: Common,
  keys: readonly Key[],
  limits: { readonly signal: AbortSignal; readonly timeoutMs: number },
) => Promise<readonly Answer[]>;
