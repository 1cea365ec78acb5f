import type { Unmatched } from '../../investigate/follow/why.ts';
import { presentAddress } from '../../investigate/model/address.ts';
import { findChain } from '../../investigate/model/chain.ts';
import type { PlacedBridgeTransfer } from '../../investigate/model/transfer-reader.ts';
import { type TrailView, wordsOf } from './words.ts';

/** A bridge without a known other side: what the bridge said, that nothing matched, and what to do. */
export const describeUnmatched = (view: TrailView, { near, isRead, isAmbiguous }: Unmatched): string => {
  const { backward } = view;
  const side = backward ? 'deposit' : 'payout';
  if (near === null) {
    const sought = backward
      ? ''
      : ', and no payout of about as much to the sender is indexed on another chain';
    return `Its ${side} was not matched: what the bridge says of that transaction is not understood here${sought}. Look the transaction up in an explorer of the bridge.`;
  }
  const told = describeCrossing(view, near);
  const { farChain: chain } = near;
  if (chain === null)
    return `${told} No chain that is read here is named, so its ${side} was not matched: look it up in an explorer of the bridge.`;
  if (isRead === false)
    return `${told} ${chain} is not read here, so its ${side} was not matched: ask a service that reads ${chain}.`;
  if (isAmbiguous)
    return `${told} Its ${side} was not matched: different assets have that number on ${chain}. Look it up in an explorer of the bridge.`;
  const party = partyOf(view, near);
  const onward = party === null ? '' : `, or follow ${party} on ${chain}`;
  return `${told} Its ${side} was not found in what is indexed of ${chain}: ask again later${onward}.`;
};

/** As far as the bridge says it. */
const describeCrossing = (view: TrailView, near: PlacedBridgeTransfer): string => {
  const { farChain, messageId, amountRaw } = near;
  const { backward } = view;
  const party = partyOf(view, near);
  const parts = [
    amountRaw === null ? 'the money' : wordsOf(view).sum(amountRaw),
    backward ? 'was put in' : 'goes',
    ...(farChain === null ? [] : [`${backward ? 'on' : 'to'} ${farChain}`]),
    ...(party === null ? [] : [`${backward ? 'by' : 'to'} ${party}`]),
    ...(messageId === null ? [] : [`under the number ${messageId}`]),
  ];
  return `The bridge says that ${parts.join(' ')}.`;
};

/** The recipient there; backward, the sender. */
const partyOf = ({ backward }: TrailView, { farChain, from, to }: PlacedBridgeTransfer): string | null => {
  const far = farChain === null ? null : findChain(farChain);
  const party = backward ? from : to;
  return party !== null && far !== null ? presentAddress(far, party) : party;
};
