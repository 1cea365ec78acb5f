/** Why a payment is refused: a stable code for clients, and a sentence. */
const SENTENCES = {
  insufficient_funds: 'The wallet does not hold the amount.',
  simulation_failed: 'The transfer would not succeed on chain.',
  wrong_price: 'The payment is for another price, asset, network or recipient than this request has.',
  wrong_request: 'The payment was made for another request, or its offer is no longer open.',
  payment_expired: 'The payment has expired.',
  payment_already_used: 'The payment was used already, or is being settled.',
  invalid_signature: 'The signature does not fit the payment.',
  too_many_unpaid_calls:
    'Too many calls of this wallet failed or brought nothing; it is refused for a while.',
  too_many_failed_settlements: 'Payments of this wallet failed to settle; it is refused for a while.',
} as const;

export type Reason = keyof typeof SENTENCES;

export const explain = (reason: Reason): string => `${reason}: ${SENTENCES[reason]}`;

// Facilitators have no common list of reasons: each network has its own words.
const PATTERNS: readonly (readonly [RegExp, Reason])[] = [
  [/insufficient/, 'insufficient_funds'],
  [/nonce_already_used|duplicate/, 'payment_already_used'],
  [/valid_before|expired/, 'payment_expired'],
  [/signature/, 'invalid_signature'],
  [/memo/, 'wrong_request'],
  [/value|amount|recipient|mint|asset|network|scheme/, 'wrong_price'],
];

/** Maps a facilitator's reason to the specification's words; its own text goes no further. */
export const reasonOf = (facilitatorReason: string | undefined): Reason =>
  PATTERNS.find(([pattern]) => pattern.test(facilitatorReason ?? ''))?.[1] ?? 'simulation_failed';
