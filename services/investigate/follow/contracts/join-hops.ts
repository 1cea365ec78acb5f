import { largestFirst, toShare } from '../../model/amount.ts';
import { transactionKey } from '../../model/transfer-reader.ts';
import type { Stand } from '../journey.ts';
import { toStream } from '../payments/group-destinations.ts';
import type { CompareOnTrail } from '../payments/outgoing.ts';
import { paidIn } from '../payments/stake.ts';
import { type Onward, tellCarried } from '../read-wallet.ts';
import { OTHERS_MAX } from '../rules.ts';
import type { FoundHop } from '../trail.ts';

/** Whether a wallet passed on what it got within the very transactions that brought it, as only contracts do. */
export const passesOn = (stand: Stand, next: Stand): boolean => {
  const places = new Set(stand.stake.lots.map(transactionKey));
  return next.stake.lots.every((out) => places.has(transactionKey(out)));
};

/** What the payer before contracts, and those before the last of them, sent to the same wallet without it belongs to the same hop. */
export const addDirect = (outcome: Onward, before: Onward | null, compare: CompareOnTrail): Onward => {
  const { hop, next } = outcome;
  const direct = before?.beside.filter(({ address }) => address === hop.to) ?? [];
  if (direct.length === 0) return outcome;
  const whole = toStream([hop, ...direct].flatMap(({ carriers }) => carriers).sort(compare));
  return {
    ...outcome,
    hop: { ...hop, ...tellCarried(whole) },
    next: { ...next, stake: paidIn(whole.carriers) },
  };
};

/** Who paid, with whom else he and the contracts since then paid; of who is no such contract himself. */
export const addContract = (payer: Onward | null, last: Onward): Onward =>
  payer === null ? last : { ...payer, beside: [...payer.beside, ...last.beside] };

/** A hop to such a contract and the hop out of it are one hop to whom it paid. */
export const joinHops = (into: FoundHop, out: FoundHop, { arrivedRaw }: Onward): FoundHop => ({
  ...out,
  from: into.from,
  through: [...into.through, { address: into.to, label: into.toLabel }, ...out.through],
  cuts: [...into.cuts, ...out.cuts],
  arrivedRaw,
  share: toShare(out.amountRaw, arrivedRaw),
  // What was paid to the same wallet is of the hop; what was swapped through it is not.
  others: [...into.others.filter(({ to, output }) => to !== out.to || output !== null), ...out.others]
    .sort(largestFirst)
    .slice(0, OTHERS_MAX),
});
