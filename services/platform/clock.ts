/** The port for the time of day. Code that must be testable uses it instead of the system clock. */
export type Clock = {
  /** Milliseconds since 1970-01-01 UTC. May jump when the machine's clock is set. */
  nowUnixMs(): number;
};

export const systemClock: Clock = { nowUnixMs: () => Date.now() };
