export type AskInTurn<Server> = <Answer>(
  ask: (server: Server) => Promise<Answer>,
  options?: { readonly isRepeatable: boolean },
) => Promise<Answer>;

/**
 * Asks servers that stand for one another. The one that answered last comes first; where it is away, the next
 * ones are tried, each once. Throws the last one's error. A request that is not repeatable fails with the server
 * that it met, but the next one goes to another.
 */
export const inTurn = <Server>(
  servers: readonly [Server, ...Server[]],
  isAway: (error: unknown) => boolean,
): AskInTurn<Server> => {
  let current = 0;
  return async (ask, { isRepeatable } = { isRepeatable: true }) => {
    for (let tried = 1; ; tried += 1) {
      const asked = current;
      try {
        return await ask(servers[asked] ?? servers[0]);
      } catch (error) {
        if (!isAway(error)) throw error;
        // Unless somebody who asked at the same time has moved on already.
        if (current === asked) current = (asked + 1) % servers.length;
        if (!isRepeatable || tried === servers.length) throw error;
      }
    }
  };
};
