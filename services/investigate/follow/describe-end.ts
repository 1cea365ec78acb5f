import type { Address } from '../model/address.ts';
import { presentAddress } from '../model/address.ts';
import { toWholeUnits } from '../model/amount.ts';
import { findChain } from '../model/chain.ts';
import { type Label, passingKind } from '../model/label.ts';
import type { PlacedBridgeTransfer } from '../model/transfer-reader.ts';
import type { Cut, FollowedAsset, FollowRequest, FoundHop, Got, SwapOutput } from './trail.ts';

/** Crossings named beside the one that is followed. */
const CROSSINGS_TOLD = 10;

/** What of it was sold to one recipient for one asset. */
type Sold = { readonly amountRaw: bigint; readonly output: Got };

/** What of the money that arrived left for somebody, and how much of the asset was destroyed since. */
export type Rested = {
  readonly leftRaw: bigint;
  readonly arrivedRaw: bigint;
  readonly burntRaw: bigint;
  /** That so much arrived is the request's word alone. */
  readonly isTold: boolean;
};

/** What it may mean that a wallet destroyed tokens. */
const TAKEN_OUT = ', as who takes a token over a bridge or redeems it does';

type Told = Pick<FollowRequest, 'chain' | 'backward'>;

/** Sentences that say why a trail ends, ready to show. */
export const describeEnd = (told: Told, asset: FollowedAsset) => {
  const words = wordsOf(told, asset);
  return {
    ...toldOfAny(words),
    ...toldOfParts(told, words),
    ...(told.backward ? toldBackward(words) : toldForward(words)),
  };
};

const percent = (part: bigint, whole: bigint): string => `${Number((part * 1_000n) / whole) / 10} %`;

type Words = ReturnType<typeof wordsOf>;

const wordsOf = ({ chain }: Told, asset: FollowedAsset) => {
  const name = (address: Address): string => presentAddress(chain, address);
  const by = (through: Address | null): string => (through === null ? '' : ` through ${name(through)}`);
  const sum = (amountRaw: bigint): string => {
    const unit = asset.symbol ?? (asset.decimals === null ? 'raw units' : 'tokens');
    return `${toWholeUnits(amountRaw, asset.decimals)} ${unit}`;
  };
  const word = ({ symbol, asset: got }: SwapOutput): string => symbol ?? name(got);
  const each = (streams: readonly Sold[], verb: 'got' | 'gave'): string =>
    streams
      .map(({ amountRaw, output }) => {
        const part = streams.length === 1 ? 'it' : `${sum(amountRaw)} of it`;
        return `${name(output.recipient)} ${verb} ${word(output)} for ${part}`;
      })
      .join(', ');
  const whatStays = (stays: string, { leftRaw, arrivedRaw, burntRaw, isTold }: Rested): string => {
    const rest = isTold ? 'whether there was more, only the request says' : stays;
    if (burntRaw === 0n) return rest;
    return leftRaw + burntRaw >= arrivedRaw
      ? `the rest was destroyed there${TAKEN_OUT}`
      : `${rest}, but for ${sum(burntRaw)} that was destroyed since${TAKEN_OUT}`;
  };
  const sumOf = ({ arrivedRaw, isTold }: Rested, came: string): string =>
    `the ${sum(arrivedRaw)} that ${isTold ? 'the request names' : came}`;
  const ofAsset = asset.symbol === null ? '' : ` (${asset.symbol})`;
  return { name, by, sum, word, each, whatStays, sumOf, ofAsset };
};

const toldOfAny = ({ name, sum }: Words) => ({
  hopsUsed: (hops: number) =>
    `The trail goes on: ${hops} ${hops === 1 ? 'hop was' : 'hops were'} the most to follow in this call.`,
  timeUsed: (wallet: Address) =>
    `The trail may go on: the time for one call was used up before ${name(wallet)} was read.`,
  unknown: (wallet: Address) => `Nothing is known about ${name(wallet)} in the data at hand.`,
  unread: (wallet: Address) => `${name(wallet)} could not be read; the trail may go on.`,
  unindexed: (wallet: Address) => `The history of ${name(wallet)} is not indexed; the trail may go on.`,
  knownInPart: (wallet: Address) =>
    `That is what is indexed of ${name(wallet)}, which is not all that happened: the trail may go on.`,
  ownOnly: ` Transfers of this token that others' transactions made are left out, since its contract may log some that never were: an allowance or a smart account may have moved it.`,
  swapsUnread:
    ' The time for one call was used up before it was looked up whether these wallets had swapped the money: one of them may have.',
  lookedAt: (count: number, all: number, amountRaw: bigint) =>
    ` That is what ${count} of ${all} payments of ${sum(amountRaw)} say: whether the others were sales was not looked at.`,
  unreadSale: ({ from, to }: Pick<FoundHop, 'from' | 'to'>) =>
    ` Between ${name(from)} and ${name(to)} the money may have been sold: too much happened in those transactions to be read.`,
});

const toldOfParts = ({ backward }: Told, { name, sum, ofAsset }: Words) => {
  const tellCrossing = ({ amountRaw, farChain, from, to }: PlacedBridgeTransfer): string => {
    const far = farChain === null ? null : findChain(farChain);
    const other = backward ? from : to;
    const whom =
      other === null ? '' : ` ${backward ? 'of' : 'for'} ${far ? presentAddress(far, other) : other}`;
    const where = farChain === null ? '' : ` ${backward ? 'from' : 'to'} ${farChain}`;
    return `${amountRaw === null ? 'one' : sum(amountRaw)}${where}${whom}`;
  };
  return {
    unpaid: (wallet: Address, counterparty: Address) => {
      const [payer, payee] = backward ? [wallet, counterparty] : [counterparty, wallet];
      return `No payment${ofAsset} from ${name(payer)} to ${name(payee)} is known ${backward ? 'until' : 'since'} then.`;
    },
    cut: ({ wallet, rows, side }: Cut) => {
      if (side === 'receipts')
        return ` Whose money left ${name(wallet)} is in doubt: of the many sums that ${backward ? 'left' : 'reached'} it only the ${backward ? 'first' : 'last'} ${rows} were read.`;
      const moved = backward ? 'before the money left' : 'after the money arrived';
      const asked = backward ? 'until then' : 'since then';
      return ` ${name(wallet)} is a busy wallet: only the ${backward ? 'last' : 'first'} ${rows} of its movements ${side === 'payer' ? asked : moved} were read.`;
    },
    crossedBesides: (crossings: readonly PlacedBridgeTransfer[]) => {
      if (crossings.length === 0) return '';
      const shown = crossings.slice(0, CROSSINGS_TOLD).map(tellCrossing);
      const more = crossings.length - shown.length;
      const parts = more > 0 ? [...shown, `${more} more`] : shown;
      return ` It crossed in several parts, of which output is one; the others: ${parts.join(', ')}.`;
    },
  };
};

type Way = Pick<FoundHop, 'from' | 'to' | 'amountRaw'>;

/** `through` is who gave most of what was got; null where that was issued by nobody. */
type Swapped = {
  readonly amountRaw: bigint;
  readonly output: SwapOutput;
  readonly through: Address | null;
};

const toldForward = ({ name, by, sum, word, each, whatStays, sumOf, ofAsset }: Words) => ({
  labelled: (label: Label) =>
    `The money reached ${whoIs(label)}${passingKind(label) === 'bridge' ? ': it goes on on another chain' : ''}.`,
  swapped: (wallet: Address, { amountRaw, output, through }: Swapped) =>
    `${name(wallet)} swapped ${sum(amountRaw)} into ${word(output)}${by(through)}.`,
  sold: ({ from, to, amountRaw }: Way, streams: readonly Sold[]) =>
    `${name(from)} sold ${sum(amountRaw)} through ${name(to)}: ${each(streams, 'got')}.`,
  soldUnseen: (pool: Address) =>
    `The money reached ${name(pool)}, where assets are swapped: what was got for it is not told by that transaction.`,
  split: (wallet: Address, count: number, largestRaw: bigint, leftRaw: bigint) =>
    `${name(wallet)} sent the money to ${count} destinations, and the largest got only ${percent(largestRaw, leftRaw)} of what left.`,
  nothingLeft: (wallet: Address, burntRaw: bigint) =>
    `${name(wallet)} has sent none of it on${ofAsset}.${burntRaw > 0n ? ` It destroyed ${sum(burntRaw)} since${TAKEN_OUT}.` : ''}`,
  rests: (wallet: Address, sums: Rested) =>
    `Only ${sum(sums.leftRaw)} of ${sumOf(sums, 'arrived')} has left ${name(wallet)}: ${whatStays('the rest is still there', sums)}.`,
  scattered: (wallet: Address, sums: Rested) =>
    `${sum(sums.leftRaw)} of ${sumOf(sums, 'arrived')} has left ${name(wallet)}, to several destinations of which none is the main one: ${whatStays('most of it is still there', sums)}.`,
  looped: (wallet: Address) =>
    `The money went back to ${name(wallet)}, a wallet that is already on the trail.`,
});

const toldBackward = ({
  name,
  by,
  sum,
  word,
  each,
  whatStays,
  sumOf,
  ofAsset,
}: Words): ReturnType<typeof toldForward> => ({
  labelled: (label) => `The money came from ${whoIs(label)}.`,
  swapped: (wallet, { amountRaw, output, through }) =>
    `${name(wallet)} got ${sum(amountRaw)} for ${word(output)}${by(through)}.`,
  sold: ({ from, to, amountRaw }, streams) =>
    `${name(from)} got ${sum(amountRaw)} through ${name(to)}, where ${each(streams, 'gave')}.`,
  soldUnseen: (pool) =>
    `The money came from ${name(pool)}, where assets are swapped: what was given for it is not told by that transaction.`,
  split: (wallet, count, largestRaw, leftRaw) =>
    `${name(wallet)} got the money from ${count} sources, and the largest gave only ${percent(largestRaw, leftRaw)} of what came.`,
  nothingLeft: (wallet) =>
    `${name(wallet)} had got none of it from anybody${ofAsset}: it was issued there, or came before the data at hand.`,
  rests: (wallet, sums) =>
    `Only ${sum(sums.leftRaw)} of ${sumOf(sums, `left ${name(wallet)}`)} had come from anybody: ${whatStays('the rest was there before', sums)}.`,
  scattered: (wallet, sums) =>
    `${sum(sums.leftRaw)} of ${sumOf(sums, `left ${name(wallet)}`)} had come from several sources of which none is the main one: ${whatStays('most of it was there before', sums)}.`,
  looped: (wallet) => `The money came from ${name(wallet)}, a wallet that is already on the trail.`,
});

/** `Garantex, a sanctioned exchange`. */
const whoIs = (label: Label): string => {
  const { name, kind } = label;
  const passing = passingKind(label) ?? kind;
  const words = kind === 'sanctioned' && passing !== kind ? `sanctioned ${passing}` : passing;
  return `${name}, ${words.startsWith('e') ? 'an' : 'a'} ${words}`;
};
