import type { Address } from '../../services/investigate/model/address.ts';
import type { CanonicalAsset } from '../../services/investigate/model/asset.ts';
import type { Label } from '../../services/investigate/model/label.ts';

/** A payment that an answer names. `unnamed`: a trail that was asked for without an asset. */
export type PaymentSaid = {
  readonly route: 'follow' | 'unnamed' | 'graph' | 'tx' | 'trace';
  readonly signature: string;
  readonly from: Address;
  readonly to: Address;
  readonly canonicalAsset: CanonicalAsset;
  /** null where the answer names it among others, without its own amount or time. */
  readonly amountRaw: bigint | null;
  readonly timeUnixSeconds: number | null;
};

/** Who an answer says that an address is; null: nobody knows. */
export type LabelSaid = {
  readonly route: PaymentSaid['route'] | 'victims' | 'analyze';
  readonly address: Address;
  readonly kind: Label['kind'] | null;
};

/** What /victims calls a loss. */
export type LossSaid = {
  readonly victim: Address;
  readonly signature: string;
  readonly canonicalAsset: CanonicalAsset;
  readonly method: string;
};

/** What all routes say about the wallets of one chain. */
export type Said = {
  readonly payments: readonly PaymentSaid[];
  readonly labels: readonly LabelSaid[];
  readonly losses: readonly LossSaid[];
};

export type Compared = {
  readonly losses: number;
  /** Payments that two routes or more name. */
  readonly payments: number;
  /** Addresses of which two routes or more tell who they are. */
  readonly addresses: number;
  /** One sentence each. */
  readonly differences: readonly string[];
};

/** Routes of which each has to name every loss as a payment of its victim. */
const NAMING = ['follow', 'unnamed', 'graph', 'tx'] as const;

export const compareRoutes = ({ payments, labels, losses }: Said): Compared => {
  const bySignature = Map.groupBy(payments, ({ signature }) => signature);
  const byPayer = Map.groupBy(payments, ({ route, from }) => `${route} ${from}`);
  const shared = ofSeveral(payments, ({ signature, from, to, canonicalAsset }) =>
    [signature, from, to, canonicalAsset].join(' '),
  );
  const times = ofSeveral(payments, ({ signature }) => signature);
  const named = ofSeveral(labels, ({ address }) => address);
  return {
    ...{ losses: losses.length, payments: shared.length, addresses: named.length },
    differences: [
      ...losses.flatMap((loss) => describeUnnamed(loss, byPayer, bySignature)),
      ...shared.flatMap((group) => describeUnlike(group, 'amountRaw')),
      ...times.flatMap((group) => describeUnlike(group, 'timeUnixSeconds')),
      ...named.flatMap(describeKinds),
    ],
  };
};

const ofSeveral = <T extends { readonly route: string }>(
  all: readonly T[],
  keyOf: (one: T) => string,
): (readonly T[])[] =>
  [...Map.groupBy(all, keyOf).values()].filter((group) => new Set(group.map(({ route }) => route)).size > 1);

/**
 * Answers lump what one wallet paid another, and tell some of the transactions: a loss is also named by whom it reached. A
 * trail without a named asset may follow another one, but may not find nothing.
 */
const describeUnnamed = (
  { victim, signature, canonicalAsset, method }: LossSaid,
  byPayer: ReadonlyMap<string, readonly PaymentSaid[]>,
  bySignature: ReadonlyMap<string, readonly PaymentSaid[]>,
): string[] =>
  NAMING.flatMap((route) => {
    const paid = byPayer.get(`${route} ${victim}`) ?? [];
    const reached = new Set((bySignature.get(signature) ?? []).map(({ to }) => to));
    const isNamed = paid.some((payment) => {
      if (payment.canonicalAsset !== canonicalAsset) return route === 'unnamed';
      return payment.signature === signature || (route !== 'tx' && reached.has(payment.to));
    });
    const lost = `${victim} lost ${canonicalAsset} by ${method} in ${signature}`;
    return isNamed ? [] : [`${lost}, which ${route} does not name`];
  });

const describeUnlike = (group: readonly PaymentSaid[], field: 'amountRaw' | 'timeUnixSeconds'): string[] => {
  const known = group.filter((each) => each[field] !== null);
  const [first] = known;
  if (first === undefined || new Set(known.map((each) => each[field])).size === 1) return [];
  const said = [...new Set(known.map((each) => `${each.route} ${each[field]}`))].join(', ');
  return [`${field} of ${first.signature} from ${first.from} to ${first.to}: ${said}`];
};

const describeKinds = (group: readonly LabelSaid[]): string[] => {
  if (new Set(group.map(({ kind }) => kind)).size === 1) return [];
  const said = [...new Set(group.map(({ route, kind }) => `${route} ${kind}`))].join(', ');
  return [`${group[0]?.address} is: ${said}`];
};
