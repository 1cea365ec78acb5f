import type { Rested, Sold, SwapOutput, Why } from '../../investigate/follow/why.ts';
import type { Address } from '../../investigate/model/address.ts';
import { type Label, passingKind } from '../../investigate/model/label.ts';
import { type TrailView, type Words, whoIs, wordsOf } from './words.ts';

type WhyOf<Type extends Why['type']> = Extract<Why, { type: Type }>;

/** Why a trail ends, as a sentence ready to show. `last` is the wallet where it ends. */
export const describeWhy = (view: TrailView, last: Address, why: Why): string => {
  const words = wordsOf(view);
  const { name, sum, ofAsset } = words;
  const { backward } = view;
  const wallet = name(last);
  switch (why.type) {
    case 'reached':
      return describeReached(backward, why.label);
    case 'hops_used':
      return `The trail goes on: ${why.hops} ${why.hops === 1 ? 'hop was' : 'hops were'} the most to follow in this call.`;
    case 'time_used':
      return `The trail may go on: the time for one call was used up before ${wallet} was read.`;
    case 'unknown':
      return `Nothing is known about ${wallet} in what is indexed of ${view.chain.name}: check the address and the chain.`;
    case 'chain_unread':
      return `${view.chain.name} is not read here: no block of it is indexed, so nothing can be said about ${wallet}. Ask a service that reads ${view.chain.name}.`;
    case 'just_arrived':
      return `${sum(why.arrivedRaw)} reached ${wallet} with the newest indexed block: whether it stays there is not known yet. Ask again later.`;
    case 'unread':
      return `${wallet} could not be read; the trail may go on.`;
    case 'unindexed':
      return `The history of ${wallet} is not indexed; the trail may go on.`;
    case 'unpaid':
      return backward
        ? `No payment${ofAsset} from ${wallet} to ${name(why.counterparty)} is known until then.`
        : `No payment${ofAsset} from ${name(why.counterparty)} to ${wallet} is known since then.`;
    case 'burnt':
      return `The money was sent to ${wallet}, a burn address: nobody has its key, so nobody can move the money any more.`;
    case 'looped':
      return `The money ${backward ? 'came from' : 'went back to'} ${wallet}, a wallet that is already on the trail.`;
    case 'pooled':
      return backward
        ? `The money came from ${wallet}, a contract that many others pay. Which of them paid for it cannot be told from payments.`
        : `The money reached ${wallet}, a contract that many others pay. What leaves it later belongs to whoever withdraws it, so it is not followed further.`;
    case 'nothing_left':
      return describeNothingLeft(view, words, { ...why, wallet });
    case 'rests':
    case 'scattered':
      return describeRest(view, words, { ...why, wallet });
    case 'split':
      return describeSplit(backward, wallet, why);
    case 'swapped':
      return describeSwapped(view, words, { ...why, wallet });
    case 'sold':
      return backward
        ? `${name(why.from)} got ${sum(why.amountRaw)} through ${why.through.map(name).join(', ')}, where ${describeStreams(words, why.streams, 'gave')}.`
        : `${name(why.from)} sold ${sum(why.amountRaw)} through ${why.through.map(name).join(', ')}: ${describeStreams(words, why.streams, 'got')}.`;
    case 'sold_unseen':
      return `The money ${backward ? 'came from' : 'reached'} ${wallet}, where assets are swapped. That transaction does not show what was ${backward ? 'given' : 'got'} for it.`;
  }
};

/** The possible reason for burnt tokens. */
const TAKEN_OUT = ', as a bridge transfer or a redemption does';

const describeReached = (backward: boolean, label: Label): string => {
  const goesOn = !backward && passingKind(label) === 'bridge' ? ': it goes on to another chain' : '';
  return `The money ${backward ? 'came from' : 'reached'} ${whoIs(label)}${goesOn}.`;
};

const describeNothingLeft = (
  { backward, isPart }: TrailView,
  words: Words,
  { wallet, burntRaw }: WhyOf<'nothing_left'> & { readonly wallet: string },
): string => {
  const { ofAsset } = words;
  if (isPart)
    return backward
      ? `Nothing that is indexed shows who paid ${wallet} the money${ofAsset}.`
      : `Nothing that is indexed shows ${wallet} paying the money${ofAsset} on: it may still be there.`;
  return backward
    ? `${wallet} had received none of it${ofAsset}: it was issued there, or came before the first indexed block.`
    : `${wallet} has sent none of it on${ofAsset}.${describeBurnt(words, burntRaw)}`;
};

const describeBurnt = ({ sum }: Words, burntRaw: bigint): string =>
  burntRaw > 0n ? ` It destroyed ${sum(burntRaw)} since${TAKEN_OUT}.` : '';

const describeSwapped = (
  { backward }: TrailView,
  words: Words,
  { wallet, amountRaw, output, through }: WhyOf<'swapped'> & { readonly wallet: string },
): string => {
  const by = through === null ? '' : ` through ${words.name(through)}`;
  const got = nameAsset(words, output);
  return backward
    ? `${wallet} got ${words.sum(amountRaw)} for ${got}${by}.`
    : `${wallet} swapped ${words.sum(amountRaw)} into ${got}${by}.`;
};

const describeRest = (
  { backward, isPart }: TrailView,
  { sum }: Words,
  { wallet, ...why }: WhyOf<'rests' | 'scattered'> & { readonly wallet: string },
): string => {
  const arrived = why.isAssertedByCaller ? 'the request names' : backward ? `left ${wallet}` : 'arrived';
  const part = `${sum(why.leftRaw)} of the ${sum(why.arrivedRaw)} that ${arrived}`;
  const where = backward ? 'was there before' : 'is still there';
  const isScattered = why.type === 'scattered';
  const rest = isScattered ? 'most of it' : 'the rest';
  const stays = isPart ? 'what became of the rest is not known' : describeStays(sum, `${rest} ${where}`, why);
  const parties = `${backward ? 'sources' : 'destinations'} without a main one`;
  if (backward)
    return isScattered
      ? `${part} had come from several ${parties}: ${stays}.`
      : `Only ${part} had come from anybody: ${stays}.`;
  return isScattered
    ? `${part} has left ${wallet}, to several ${parties}: ${stays}.`
    : `Only ${part} has left ${wallet}: ${stays}.`;
};

const describeStays = (sum: Words['sum'], stays: string, rested: Rested): string => {
  const { leftRaw, arrivedRaw, burntRaw, isAssertedByCaller } = rested;
  const rest = isAssertedByCaller ? 'only the request says that there was more' : stays;
  if (burntRaw === 0n) return rest;
  return leftRaw + burntRaw >= arrivedRaw
    ? `the rest was destroyed there${TAKEN_OUT}`
    : `${rest}, but for ${sum(burntRaw)} that was destroyed since${TAKEN_OUT}`;
};

const describeSplit = (
  backward: boolean,
  wallet: string,
  { destinations, largestRaw, leftRaw }: WhyOf<'split'>,
): string => {
  const part = `${Number((largestRaw * 1_000n) / leftRaw) / 10} %`;
  return backward
    ? `${wallet} got the money from ${destinations} sources, and the largest gave only ${part} of what came.`
    : `${wallet} sent the money to ${destinations} destinations, and the largest got only ${part} of what left.`;
};

const nameAsset = ({ name }: Words, { symbol, asset }: SwapOutput): string => symbol ?? name(asset);

const describeStreams = (words: Words, streams: readonly Sold[], verb: 'got' | 'gave'): string =>
  streams
    .map(({ amountRaw, output }) => {
      const part = streams.length === 1 ? 'it' : `${words.sum(amountRaw)} of it`;
      return `${words.name(output.recipient)} ${verb} ${nameAsset(words, output)} for ${part}`;
    })
    .join(', ');
