import type { Address } from './address.ts';
import type { PlacedMovement } from './case-reader.ts';
import type { PlacedControlEvent } from './control-reader.ts';

export type TokenOrigin = {
  /** null where no row names the token. */
  readonly creator: Address | null;
  /** Whether it is known how the token was made. Else the creator is inferred, and rows may be of a part of its life. */
  readonly isBorn: boolean;
};

/**
 * Who made a token: whom the event of its creation names, else who sent the first transaction with it. /analyze and /insiders tell
 * the same.
 */
export const tellOrigin = (
  creation: Pick<PlacedControlEvent, 'holder'> | null,
  first: {
    readonly sender: Address;
    readonly rows: readonly Pick<PlacedMovement, 'kind' | 'canonicalAsset'>[];
  } | null,
  { token, beginsChain }: { readonly token: string; readonly beginsChain: boolean },
): TokenOrigin => {
  const isIssued =
    first?.rows.some(({ kind, canonicalAsset }) => kind === 'mint' && canonicalAsset === token) === true;
  return {
    creator: creation?.holder ?? first?.sender ?? null,
    isBorn: creation !== null || beginsChain || isIssued,
  };
};
