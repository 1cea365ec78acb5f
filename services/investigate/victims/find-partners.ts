import type { Address } from '../model/address.ts';
import type { Label } from '../model/label.ts';
import { isPassing } from '../model/label.ts';
import { PARTNER_PAYERS_MIN, PARTNER_SHARE_MIN } from './rules.ts';
import type { Taking } from './weigh-transaction.ts';

export type Partner = {
  readonly address: Address;
  /** The mean share of the stolen amounts. */
  readonly share: number;
  readonly payers: ReadonlySet<Address>;
  /** In order of time. */
  readonly takings: readonly Taking[];
};

/**
 * Finds addresses that got a part of several payers' losses in the same transactions. Drainers as a service
 * pay the operator and the affiliate at once, mostly 20 % and 80 % (Blocksec, "Drainer as a service").
 * `takings` are those of possible victims.
 */
export const findPartners = (
  takings: readonly Taking[],
  labels: ReadonlyMap<Address, Label>,
): ReadonlyMap<Address, Partner> => {
  const parts = takings.flatMap((taking) =>
    taking.others.map(({ address, amountRaw }) => ({ address, amountRaw, taking })),
  );
  const partners = [...Map.groupBy(parts, ({ address }) => address)].flatMap(([address, own]) => {
    const label = labels.get(address);
    const payers = new Set(own.map(({ taking }) => taking.payer));
    const shares = own.map(({ amountRaw, taking }) => Number(amountRaw) / Number(taking.lostRaw));
    const share = shares.reduce((sum, each) => sum + each, 0) / shares.length;
    const isPartner = payers.size >= PARTNER_PAYERS_MIN && share >= PARTNER_SHARE_MIN;
    if (!isPartner || payers.has(address) || (label && isPassing(label.kind))) return [];
    return [[address, { address, share, payers, takings: own.map(({ taking }) => taking) }] as const];
  });
  return new Map(partners);
};
