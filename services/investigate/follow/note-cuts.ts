import { describeEnd } from './describe-end.ts';
import type { Cut, FollowedAsset, FollowRequest, FoundEnd } from './trail.ts';

type Told = { readonly request: Pick<FollowRequest, 'chain' | 'backward'>; readonly asset: FollowedAsset };

/** Where reading a wallet stopped early, whatever was chosen there may be wrong: the end says so. */
export const noteCuts = (end: FoundEnd, cuts: readonly Cut[], { request, asset }: Told): FoundEnd =>
  cuts.length === 0
    ? end
    : { ...end, detail: end.detail + cuts.map(describeEnd(request, asset).cut).join('') };
