import type { Address } from './address.ts';
import type { PlacedMovement } from './case-reader.ts';
import type { PlacedControlEvent } from './control-reader.ts';

export type TokenOrigin = {
  /** null where no row names the token. */
  readonly creator: Address | null;
  /**
   * Whether the token's creation is indexed. Otherwise the creator is inferred, and the rows may not cover
   * the token's first days.
   */
  readonly isBorn: boolean;
};

/**
 * Who created a token: the creator in its creation event, else the sender of the first transaction with it.
 * /analyze and /insiders use the same rule.
 */
export const findOrigin = (
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
