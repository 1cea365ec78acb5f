import type { Address } from '../model/address.ts';
import type { AssetFamily } from '../model/asset.ts';
import { type Flows, netOf } from '../model/sum-flows.ts';
import { STEPS_MAX } from './rules.ts';

export type Payer = { readonly payer: Address; readonly family: AssetFamily };

/**
 * Who paid for what the subject got in a transaction: looked for against the flow, through contracts that pass money on and
 * through venues that sold it. A venue lost one asset and got another, so that who gave it the other one is asked for, too.
 */
export const findPayers = (flows: Flows, subject: Address): Payer[] => {
  const seen = new Map<string, Payer>();
  let reached = [...flows.received.keys()]
    .filter((key) => key.startsWith(`${subject} `))
    .map((key): Payer => ({ payer: subject, family: key.slice(subject.length + 1) }));
  for (let step = 0; step < STEPS_MAX && reached.length > 0; step += 1) {
    const met = reached
      .flatMap((payee) => payersOf(flows, payee))
      .filter((each) => each.payer !== subject && !seen.has(keyOf(each)));
    for (const each of met) seen.set(keyOf(each), each);
    reached = met.flatMap((each) => [each, ...gainsOf(flows, each)]);
  }
  return [...seen.values()].filter(({ payer, family }) => netOf(flows, payer, family) < 0n);
};

const keyOf = ({ payer, family }: Payer): string => `${payer} ${family}`;

const payersOf = (flows: Flows, { payer: payee, family }: Payer): Payer[] =>
  [...(flows.payers.get(`${payee} ${family}`) ?? [])].map((payer) => ({ payer, family }));

/** What a party that lost one asset got for it. */
const gainsOf = (flows: Flows, { payer, family }: Payer): Payer[] =>
  netOf(flows, payer, family) >= 0n
    ? []
    : [...(flows.nets.get(payer) ?? [])].flatMap(([gained, raw]) =>
        raw > 0n ? [{ payer, family: gained }] : [],
      );
