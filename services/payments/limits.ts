export type PaymentLimits = {
  /** Work that has not come to its settlement after this belongs to a process that is gone. */
  readonly workMs: number;
  /** A signed Solana payment lives about a minute: work that runs longer than this after the check is settled then. */
  readonly earlySettleMs: number;
  /** A facilitator that has not said its terms by then, or whether a payment is good, is away. */
  readonly askTimeoutMs: number;
  /** What the facilitator has not answered by then is unknown. */
  readonly settleTimeoutMs: number;
  /** A settlement that is open longer than this belongs to a process that is gone. */
  readonly settlingMs: number;
};

export const LIMITS: PaymentLimits = {
  workMs: 150_000,
  earlySettleMs: 30_000,
  askTimeoutMs: 10_000,
  settleTimeoutMs: 45_000,
  settlingMs: 75_000,
};
