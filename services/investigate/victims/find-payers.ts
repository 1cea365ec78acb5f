import type { Address } from '../model/address.ts';
import type { CanonicalAsset } from '../model/asset.ts';
import { type Flows, netOf } from '../model/sum-flows.ts';
import { STEPS_MAX } from './rules.ts';

export type Payer = { readonly payer: Address; readonly canonicalAsset: CanonicalAsset };

/**
 * Finds who paid for what the subject received in a transaction. Searches against the flow, through contracts
 * that pass money on and venues that sold it. A venue lost one asset and gained another, so the search
 * continues with the payer of the other asset.
 */
export const findPayers = (flows: Flows, subject: Address): Payer[] => {
  const seen = new Map<string, Payer>();
  let reached = [...flows.received.keys()]
    .filter((key) => key.startsWith(`${subject} `))
    .map((key): Payer => ({ payer: subject, canonicalAsset: key.slice(subject.length + 1) }));
  for (let step = 0; step < STEPS_MAX && reached.length > 0; step += 1) {
    const met = reached
      .flatMap((payee) => payersOf(flows, payee))
      .filter((each) => each.payer !== subject && !seen.has(keyOf(each)));
    for (const each of met) seen.set(keyOf(each), each);
    reached = met.flatMap((each) => [each, ...gainsOf(flows, each)]);
  }
  return [...seen.values()].filter(({ payer, canonicalAsset }) => netOf(flows, payer, canonicalAsset) < 0n);
};

const keyOf = ({ payer, canonicalAsset }: Payer): string => `${payer} ${canonicalAsset}`;

const payersOf = (flows: Flows, { payer: payee, canonicalAsset }: Payer): Payer[] =>
  [...(flows.payers.get(`${payee} ${canonicalAsset}`) ?? [])].map((payer) => ({ payer, canonicalAsset }));

/** What a party that lost one asset received for it. */
const gainsOf = (flows: Flows, { payer, canonicalAsset }: Payer): Payer[] =>
  netOf(flows, payer, canonicalAsset) >= 0n
    ? []
    : [...(flows.nets.get(payer) ?? [])].flatMap(([gained, raw]) =>
        raw > 0n ? [{ payer, canonicalAsset: gained }] : [],
      );
