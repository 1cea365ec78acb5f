/** The prefix by which the ledger tells bought credits from an operator's. */
export const PURCHASE_PREFIX = 'x402:';

/** The id of the command that adds a payment's credits, so that they are added once. */
export const purchaseIdOf = (paymentKey: string): string => `${PURCHASE_PREFIX}${paymentKey}`;
