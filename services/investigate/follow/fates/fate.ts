import type { Address } from '../../model/address.ts';

/** When an issuer froze a balance. */
export type Freeze = {
  readonly signature: string;
  readonly timeUnixSeconds: number;
  readonly blockNumber: number;
  readonly by: Address | null;
};

/** What became of money that no payment took away. Raw units. */
export type Fate = {
  readonly burntRaw: bigint;
  readonly feesRaw: bigint;
  /** null: it is not frozen, or `isFreezeKnown` is false. */
  readonly freeze: Freeze | null;
  readonly isFreezeKnown: boolean;
};

export const NOTHING_KNOWN: Fate = { burntRaw: 0n, feesRaw: 0n, freeze: null, isFreezeKnown: false };

/** Where money can be that did not go on by a payment. */
export type RestOutcome = 'frozen' | 'burned' | 'fees' | 'at_rest';

export type RestPart = { readonly outcome: RestOutcome; readonly amountRaw: bigint };

/**
 * Divides what rests at a wallet, largest first; the parts add up to it. What the wallet burnt, and then what it paid in fees, is
 * taken of this money before any other.
 */
export const divideRest = (restRaw: bigint, { burntRaw, feesRaw, freeze }: Fate): readonly RestPart[] => {
  const burned = burntRaw < restRaw ? burntRaw : restRaw;
  const fees = feesRaw < restRaw - burned ? feesRaw : restRaw - burned;
  const parts: RestPart[] = [
    { outcome: freeze === null ? 'at_rest' : 'frozen', amountRaw: restRaw - burned - fees },
    { outcome: 'burned', amountRaw: burned },
    { outcome: 'fees', amountRaw: fees },
  ];
  return parts
    .filter(({ amountRaw }) => amountRaw > 0n)
    .sort((a, b) => (a.amountRaw > b.amountRaw ? -1 : Number(a.amountRaw < b.amountRaw)));
};

/** The largest part. */
export const outcomeOfRest = (restRaw: bigint, fate: Fate): RestOutcome =>
  divideRest(restRaw, fate)[0]?.outcome ?? (fate.freeze === null ? 'at_rest' : 'frozen');
