export type PaymentLimits = {
  /** If settlement has not started after this, the working process is gone. */
  readonly workMs: number;
  /**
   * A signed Solana payment lives for about a minute. Work that runs longer than this is settled before it is
   * done.
   */
  readonly earlySettleMs: number;
  /** The facilitator's time to name its terms or to check a payment. */
  readonly askTimeoutMs: number;
  /** After this without an answer a settlement is unknown. */
  readonly settleTimeoutMs: number;
  /** A settlement that is open longer than this belongs to a dead process. */
  readonly settlingMs: number;
};

export const LIMITS: PaymentLimits = {
  workMs: 150_000,
  earlySettleMs: 30_000,
  askTimeoutMs: 10_000,
  settleTimeoutMs: 45_000,
  settlingMs: 75_000,
};
