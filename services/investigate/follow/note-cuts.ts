import { describeEnd } from './describe-end.ts';
import type { Cut, FollowedAsset, FollowRequest, FoundEnd, FoundHop } from './trail.ts';

type Told = { readonly request: Pick<FollowRequest, 'chain' | 'backward'>; readonly asset: FollowedAsset };

/** Where reading a wallet stopped early, whatever was chosen there may be wrong: the end says so. */
export const noteCuts = (end: FoundEnd, cuts: readonly Cut[], { request, asset }: Told): FoundEnd =>
  note(end, cuts.map(describeEnd(request, asset).cut));

/** Hops whose transactions hold more than can be read may have been sales, which would have ended the trail. */
export const noteUnread = (end: FoundEnd, hops: readonly FoundHop[], { request, asset }: Told): FoundEnd =>
  note(end, hops.map(describeEnd(request, asset).unreadSale));

const note = (end: FoundEnd, sentences: readonly string[]): FoundEnd => ({
  ...end,
  detail: end.detail + sentences.join(''),
});
