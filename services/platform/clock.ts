/** The port for time of day: what must be testable asks it instead of the machine. */
export type Clock = {
  /** Milliseconds since 1970-01-01 UTC. May jump when the machine's clock is set. */
  nowUnixMs(): number;
};

export const systemClock: Clock = { nowUnixMs: () => Date.now() };
