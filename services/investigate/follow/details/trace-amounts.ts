import { least, most } from '../../model/amount.ts';
import type { Came, FoundHop, Trail, TrailEnd } from '../trail.ts';

/** The traced part of what reached a hop's sender, and of what the hop carried. */
type TracedHop<Of> = { readonly hop: Of; readonly came: Came; readonly tracedRaw: bigint };

/**
 * How much of each hop is the money that is followed. Senders add money of their own: of what then arrives only that part is
 * the trail's, and the same part of whatever is paid on from it.
 */
export const traceAmounts = <Of extends Pick<FoundHop, 'amountRaw' | 'arrivedRaw'>>(
  start: Came | null,
  hops: readonly Of[],
): readonly TracedHop<Of>[] => {
  let cameRaw = start?.tracedRaw ?? null;
  return hops.map((hop) => {
    const { amountRaw, arrivedRaw } = hop;
    const came = { arrivedRaw, tracedRaw: least(cameRaw ?? arrivedRaw, arrivedRaw) };
    cameRaw = tracedOf(came, { amountRaw });
    return { hop, came, tracedRaw: cameRaw };
  });
};

/** What reached the last wallet; null at a start without a known amount. */
export const reachedLast = ({ came, hops }: Pick<Trail, 'came' | 'hops'>): Came | null => {
  const last = hops.at(-1);
  return last === undefined ? came : { arrivedRaw: last.amountRaw, tracedRaw: last.tracedRaw };
};

type Left = {
  readonly amountRaw: bigint;
  /** All that left the wallet, where more may have left than came. */
  readonly leftRaw?: bigint;
  /** What the main payment took of the traced money. */
  readonly takenRaw?: bigint;
};

/** How much of a payment is the traced money: its part of what came, and no more than the main payment left. */
export const tracedOf = (
  { arrivedRaw, tracedRaw }: Came,
  { amountRaw, leftRaw = 0n, takenRaw = 0n }: Left,
): bigint => {
  const ofRaw = most(arrivedRaw, leftRaw);
  // Exact if no sender added money: both amounts are equal then.
  return ofRaw === 0n ? 0n : least((tracedRaw * least(amountRaw, ofRaw)) / ofRaw, tracedRaw - takenRaw);
};

/** How much of each payment that an end names is the traced money. */
export const traceEnd = (
  reached: Came | null,
  { why }: Pick<TrailEnd, 'why'>,
): ((amountRaw: bigint) => bigint) => {
  if (reached === null) return (amountRaw) => amountRaw;
  switch (why.type) {
    case 'swapped': {
      const takenRaw = tracedOf(reached, why);
      return (amountRaw) => tracedOf(reached, { amountRaw, takenRaw });
    }
    case 'sold':
      return (amountRaw) => tracedOf(reached, { amountRaw, leftRaw: why.amountRaw });
    case 'split':
    case 'rests':
    case 'scattered':
      return (amountRaw) => tracedOf(reached, { amountRaw, leftRaw: why.leftRaw });
    default:
      return (amountRaw) => tracedOf(reached, { amountRaw });
  }
};

/** How much of what came out of a swap or a bridge was got for the traced money. */
export const traceOutput = (
  trail: Pick<Trail, 'came' | 'hops'>,
  end: TrailEnd,
  amountRaw: bigint,
): bigint => {
  const reached = reachedLast(trail);
  if (reached === null) return amountRaw;
  const { arrivedRaw, tracedRaw } = reached;
  const ofRaw = most(arrivedRaw, givenOf(end));
  return ofRaw === 0n ? 0n : (amountRaw * tracedRaw) / ofRaw;
};

/** All that the output was got for, others' money too. */
const givenOf = (end: TrailEnd): bigint => {
  if (end.why.type === 'swapped' || end.why.type === 'sold') return end.why.amountRaw;
  return (end.reason === 'bridge' && end.output?.bridgedRaw) || 0n;
};
