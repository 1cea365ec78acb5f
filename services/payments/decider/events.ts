/** The payer as the ledger names it: `wallet:<network>:<address>`. */
export type Wallet = `wallet:${string}`;

/** Credits that the payment buys; it then buys no answer. */
export type CreditGrant = { readonly accountId: string; readonly credits: number };

/**
 * Events of one payment. Any process may write any of them at any moment; their order in the log decides which
 * ones count (`judge`). `claimId` names the call of a claim. Events of an ended claim do not count.
 */
export type PaymentEvent =
  | {
      readonly type: 'PaymentClaimed';
      readonly claimId: string;
      /** The hash of the request that the payment buys. */
      readonly requestHash: string;
      readonly network: string;
      readonly asset: string;
      /** In the smallest unit of the asset, as decimal digits. */
      readonly amountRaw: string;
      readonly payTo: string;
      /** The signed payment and its terms, as JSON. Settling again needs both. */
      readonly signed: string;
      /** The chain does not accept the payment after this. */
      readonly expiresUnixMs: number;
      /** If settlement has not started by then, the working process is gone. */
      readonly deadlineUnixMs: number;
      /** The client's own id, to ask for the same answer again; null if it gave none. */
      readonly paymentId: string | null;
      /** null if it pays for a call. */
      readonly grant: CreditGrant | null;
    }
  /** The answer is stored and survives the process that made it. */
  | {
      readonly type: 'WorkDone';
      readonly claimId: string;
      readonly answer: string;
      /** The answer turned out to be free after settlement had started. Nobody else may be charged for it. */
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
      /** The chain says so; otherwise the facilitator, on the first try only. */
      readonly isFinal: boolean;
    }
  /** The client has the answer; the payment does not fetch it again. */
  | { readonly type: 'AnswerGiven'; readonly claimId: string }
  /** Given back unused: the work failed, was free, or its process is gone. */
  | { readonly type: 'PaymentReleased'; readonly claimId: string; readonly reason: string };

export type PaymentEntry = {
  readonly wallet: Wallet;
  /** Identifies the authorisation, not the signature: one authorisation can be signed in several ways. */
  readonly key: string;
  readonly atUnixMs: number;
  readonly event: PaymentEvent;
};
