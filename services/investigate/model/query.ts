export type QueryLimits = {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** Told how many bytes of text each query's answer had. */
  onBytes?(bytes: number): void;
};

/**
 * One indexed query in every implementation: what all keys have in common, the keys, each once, and one answer a key, in
 * their order. Throws `ReadFailedError` where it cannot answer.
 */
export type Query<Common, Key, Answer> = (
  common: Common,
  keys: readonly Key[],
  limits: QueryLimits,
) => Promise<readonly Answer[]>;

/** The answers by key; keys without one are missing. */
export const answersByKey = async <Common, Key, Answer>(
  ask: (common: Common, keys: readonly Key[]) => Promise<readonly (Answer | null)[]>,
  common: Common,
  keys: readonly Key[],
): Promise<ReadonlyMap<Key, Answer>> => {
  const answers = await ask(common, keys);
  return new Map(keys.flatMap((key, at) => (answers[at] == null ? [] : [[key, answers[at]] as const])));
};

/** A port whose limits are its session's. */
export type Asking<Port> = {
  readonly [Method in keyof Port]: Port[Method] extends (request: infer Request) => Promise<infer Answer>
    ? (request: Omit<Request, keyof QueryLimits>) => Promise<Answer>
    : Port[Method] extends Query<infer Common, infer Key, infer Answer>
      ? (common: Common, keys: readonly Key[]) => Promise<readonly Answer[]>
      : never;
};
