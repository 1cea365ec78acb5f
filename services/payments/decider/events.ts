/** Who pays, as the ledger knows it too: `wallet:<network>:<address>`. */
export type Wallet = `wallet:${string}`;

/** Credits that a payment buys, in place of an answer. */
export type CreditGrant = { readonly accountId: string; readonly credits: number };

/**
 * What has happened to one payment. Any process may write any of them at any moment: the order in the log decides which
 * ones count (`judge`). `claimId` names the call that a claim was made for; what it writes after its claim has ended
 * counts for nothing.
 */
export type PaymentEvent =
  | {
      readonly type: 'PaymentClaimed';
      readonly claimId: string;
      /** Of the request that it buys, and no other. */
      readonly requestHash: string;
      readonly network: string;
      readonly asset: string;
      /** In the smallest unit of the asset, as decimal digits. */
      readonly amountRaw: string;
      readonly payTo: string;
      /** The payment signed by the client and what it was asked for, as JSON: whoever settles it again needs both. */
      readonly signed: string;
      /** The chain does not take the payment after this. */
      readonly expiresUnixMs: number;
      /** Work that has not come to its settlement by then belongs to a process that is gone. */
      readonly deadlineUnixMs: number;
      /** Of the client's choosing, to ask for the same answer again; null where it chose none. */
      readonly paymentId: string | null;
      /** null where it pays for a call. */
      readonly grant: CreditGrant | null;
    }
  /** The answer is kept, so that it outlives the process that worked it out. */
  | {
      readonly type: 'WorkDone';
      readonly claimId: string;
      readonly answer: string;
      /** It costs nothing, which came out once its settlement had started: nobody else is to pay for it. */
      readonly isFree: boolean;
    }
  /** From here on the money may have moved. */
  | { readonly type: 'SettlementStarted'; readonly claimId: string }
  | { readonly type: 'PaymentSettled'; readonly claimId: string; readonly transaction: string }
  | { readonly type: 'PaymentUnknown'; readonly claimId: string }
  | {
      readonly type: 'PaymentFailed';
      readonly claimId: string;
      readonly reason: string;
      /** The chain says so. Otherwise the facilitator does, of the first try: another one is not spoken for. */
      readonly isFinal: boolean;
    }
  /** Its client has the answer: the payment brings it no more. */
  | { readonly type: 'AnswerGiven'; readonly claimId: string }
  /** Given back unused: the work failed or costs nothing, or nobody was left to do it. */
  | { readonly type: 'PaymentReleased'; readonly claimId: string; readonly reason: string };

export type PaymentEntry = {
  readonly wallet: Wallet;
  /** Of the authorisation, never of its signature: one authorisation may be signed in several ways. */
  readonly key: string;
  readonly atUnixMs: number;
  readonly event: PaymentEvent;
};
