/** A receipt that a payment may pass on, both by their numbers. */
export type Pair = {
  readonly receipt: number;
  readonly payment: number;
  /** How likely, beside 1 for a payment that passes on none and `aloneWeight` for a receipt that is not passed on. Not below 0. */
  readonly weight: number;
};

type Graph = {
  readonly pairs: readonly Pair[];
  readonly receipts: number;
  readonly payments: number;
  /** Above 0. */
  readonly aloneWeight: number;
};

/** Messages settle within these; where a few go on swinging, damping leaves the mean of both ways. */
const ROUNDS = 30;
/** A change of a message, beside itself, that changes nothing any more. */
const SETTLED = 1e-4;

/**
 * How probable each pair is, if a receipt is passed on by one payment at most and a payment passes on one receipt at most, and a set
 * of such pairs is as likely as the product of its weights. Receipts and payments tell one another how much the rest leaves for them:
 * exact where no pairs form a ring, and near it elsewhere (Chertkov, Kroc, Krzakala, Vergassola and Zdeborová 2010, "Inference in
 * particle tracking experiments by passing messages between images", PNAS 107). Work is `ROUNDS` times the pairs at the most.
 */
export const passMessages = ({ pairs, receipts, payments, aloneWeight }: Graph): Float64Array => {
  const receiptOf = Int32Array.from(pairs, ({ receipt }) => receipt);
  const paymentOf = Int32Array.from(pairs, ({ payment }) => payment);
  const weights = Float64Array.from(pairs, ({ weight }) => weight);
  /** What a receipt tells a payment: its weight, less what others may have of it. */
  const told = weights.map((weight) => weight / aloneWeight);
  const answered = new Float64Array(pairs.length);
  const next = new Float64Array(pairs.length);
  for (let round = 0, change = 1; round < ROUNDS && change > SETTLED; round += 1) {
    exchange({ weights, places: paymentOf, size: payments, alone: 1 }, told, answered);
    exchange({ weights, places: receiptOf, size: receipts, alone: aloneWeight }, answered, next);
    change = dampen(told, next);
  }
  const ofPayments = sums(told, paymentOf, payments);
  return told.map((message, at) => message / (1 + (ofPayments[paymentOf[at] ?? 0] ?? 0)));
};

type Side = {
  readonly weights: Float64Array;
  /** Which receipt, or payment, each pair is of. */
  readonly places: Int32Array;
  readonly size: number;
  readonly alone: number;
};

/** Each pair's weight, over what all other pairs of its place and being alone add up to. */
const exchange = ({ weights, places, size, alone }: Side, heard: Float64Array, said: Float64Array): void => {
  const total = sums(heard, places, size);
  for (let at = 0; at < said.length; at += 1) {
    // Rounding may leave less than nothing.
    const others = Math.max(0, (total[places[at] ?? 0] ?? 0) - (heard[at] ?? 0));
    said[at] = (weights[at] ?? 0) / (alone + others);
  }
};

const sums = (messages: Float64Array, places: Int32Array, size: number): Float64Array => {
  const total = new Float64Array(size);
  for (let at = 0; at < messages.length; at += 1) {
    const place = places[at] ?? 0;
    total[place] = (total[place] ?? 0) + (messages[at] ?? 0);
  }
  return total;
};

/** Half way to what is said next. Gives the largest change, beside the message. */
const dampen = (told: Float64Array, next: Float64Array): number => {
  let change = 0;
  for (let at = 0; at < told.length; at += 1) {
    const before = told[at] ?? 0;
    const now = (before + (next[at] ?? 0)) / 2;
    told[at] = now;
    change = Math.max(change, Math.abs(now - before) / (now + Number.MIN_VALUE));
  }
  return change;
};
