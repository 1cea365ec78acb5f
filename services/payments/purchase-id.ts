/** The ledger knows by it which of its credits payments bought: an operator's have ids of their own. */
export const PURCHASE_PREFIX = 'x402:';

/** Of the command that adds a payment's credits, so that they are added once. */
export const purchaseIdOf = (paymentKey: string): string => `${PURCHASE_PREFIX}${paymentKey}`;
