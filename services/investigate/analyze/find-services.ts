import type { Address } from '../model/address.ts';
import type { Service } from '../model/trace-reader.ts';
import type { ServiceUse, Transfer } from './profile.ts';
import { sumUsd } from './sum-sides.ts';

/** The exchanges and mixers that the wallet dealt with, each with its newest transaction, newest first. */
export const findServicesUsed = (
  transfers: readonly Transfer[],
  services: ReadonlyMap<Address, Service>,
): readonly ServiceUse[] => {
  const used = transfers.flatMap((transfer) => {
    const service = services.get(transfer.counterparty);
    return service ? [{ service, transfer }] : [];
  });
  return [...Map.groupBy(used, ({ service }) => `${service.kind} ${service.entity}`).values()]
    .flatMap((of): ServiceUse[] => {
      const last = of.at(-1);
      const kind = last?.service.kind;
      if (last === undefined || (kind !== 'exchange' && kind !== 'mixer')) return [];
      const side = (direction: 'in' | 'out') => {
        const one = of.map(({ transfer }) => transfer).filter((each) => each.direction === direction);
        return { count: one.length, usd: sumUsd(one) };
      };
      return [{ name: last.service.entity, kind, in: side('in'), out: side('out'), latest: last.transfer }];
    })
    .toSorted((a, b) => b.latest.blockTime - a.latest.blockTime || (a.name < b.name ? -1 : 1));
};
