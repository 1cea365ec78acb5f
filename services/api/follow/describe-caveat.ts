import type { Caveat } from '../../investigate/follow/why.ts';
import { presentAddress } from '../../investigate/model/address.ts';
import { findChain } from '../../investigate/model/chain.ts';
import type { PlacedBridgeTransfer } from '../../investigate/model/transfer-reader.ts';
import { describeUnmatched } from './describe-unmatched.ts';
import { type TrailView, type Words, whoIs, wordsOf } from './words.ts';

/** The maximum number of other crossings named. */
const CROSSINGS_TOLD = 10;

type CaveatOf<Type extends Caveat['type']> = Extract<Caveat, { type: Type }>;

/** A caveat as a sentence. `last` is the wallet where the trail ends. */
export const describeCaveat = (view: TrailView, last: string, caveat: Caveat): string => {
  const words = wordsOf(view);
  const { name, sum } = words;
  switch (caveat.type) {
    case 'read_in_part':
      return describeReadInPart(view, words, caveat);
    case 'known_in_part':
      return `Only a part of what ${name(last)} did is indexed, so the trail may go on.`;
    case 'left_out':
      return describeLeftOut(view, last, caveat);
    case 'swaps_unread':
      return 'The time for one call was used up before swaps were looked up: one of these wallets may have swapped the money.';
    case 'sales_looked_at':
      return `This rests on ${caveat.count} of ${caveat.all} payments of ${sum(caveat.amountRaw)}; the others were not checked for sales.`;
    case 'sale_unread':
      return `Between ${name(caveat.from)} and ${name(caveat.to)} the money may have been sold: too much happened in those transactions to be read.`;
    case 'own_money':
      return view.backward
        ? `Of the ${sum(caveat.arrivedRaw)} that left ${name(last)}, ${sum(caveat.tracedRaw)} became the money that is traced: the rest went elsewhere.`
        : `Of the ${sum(caveat.arrivedRaw)} that reached ${name(last)}, ${sum(caveat.tracedRaw)} is the money that is traced: senders on the way added the rest of their own.`;
    case 'start_is_service':
      return `The start, ${name(caveat.start)}, is ${whoIs(caveat.label)}: most of what ${view.backward ? 'reaches' : 'leaves'} it belongs to its customers. Name the payment you mean: start from the wallet it ${view.backward ? 'came from' : 'went to'}, with counterparty and amount.`;
    case 'far_unmatched':
      return describeUnmatched(view, caveat);
    case 'far_unread':
      return `Where it ${view.backward ? 'was put in' : 'came out'} could not be read: ask again later.`;
    case 'crossed_besides':
      return describeCrossings(view, words, caveat);
  }
};

const describeLeftOut = (
  view: TrailView,
  last: string,
  { amountRaw, to: [first, ...more] }: CaveatOf<'left_out'>,
): string => {
  const { name, sum } = wordsOf(view);
  const others = more.length === 0 ? '' : ` and ${more.length} more`;
  const whom = first === undefined ? 'somebody' : `${name(first)}${others}`;
  const [from, to] = view.backward ? [whom, name(last)] : [name(last), whom];
  const meaning = view.backward
    ? 'If they are true, the money came from there: follow those in others.'
    : 'If the wallet had approved them, as victims of approval phishing do, the money went there: follow those in others.';
  return `Left out: ${sum(amountRaw)} that others' transactions moved from ${from} to ${to}. This token is not listed, and its contract may log false transfers. ${meaning}`;
};

const describeReadInPart = (
  { backward }: TrailView,
  { name }: Words,
  { wallet, rows, side }: CaveatOf<'read_in_part'>,
): string => {
  if (side === 'receipts')
    return `It is uncertain whose money left ${name(wallet)}: only the ${backward ? 'first' : 'last'} ${rows} of the many payments that ${backward ? 'left' : 'reached'} it were read.`;
  const moved = backward ? 'before the money left' : 'after the money arrived';
  const asked = backward ? 'until then' : 'since then';
  return `${name(wallet)} is a busy wallet: only the ${backward ? 'last' : 'first'} ${rows} of its movements ${side === 'payer' ? asked : moved} were read.`;
};

const describeCrossings = (
  { backward }: TrailView,
  { sum }: Words,
  { crossings }: CaveatOf<'crossed_besides'>,
): string => {
  const tell = ({ amountRaw, farChain, from, to }: PlacedBridgeTransfer): string => {
    const far = farChain === null ? null : findChain(farChain);
    const other = backward ? from : to;
    const whom =
      other === null ? '' : ` ${backward ? 'of' : 'for'} ${far ? presentAddress(far, other) : other}`;
    const where = farChain === null ? '' : ` ${backward ? 'from' : 'to'} ${farChain}`;
    return `${amountRaw === null ? 'one' : sum(amountRaw)}${where}${whom}`;
  };
  const shown = crossings.slice(0, CROSSINGS_TOLD).map(tell);
  const more = crossings.length - shown.length;
  const parts = more > 0 ? [...shown, `${more} more`] : shown;
  return `It crossed in several parts, of which output is one; the others: ${parts.join(', ')}.`;
};
