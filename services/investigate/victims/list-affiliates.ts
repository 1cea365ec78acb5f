import { tidyShare } from '../model/amount.ts';
import type { Values } from '../model/value-amounts.ts';
import type { Parties } from './read-parties.ts';
import { EXAMPLES_MAX } from './rules.ts';
import type { Ruling } from './settle-losses.ts';
import type { Affiliate } from './victims-report.ts';

type Lost = Extract<Ruling, { reason: null }>;

/** The partners in the losses, by the amount received, largest first. */
export const listAffiliates = (
  lost: readonly Lost[],
  { parties, values }: { readonly parties: Parties; readonly values: Values },
): Affiliate[] =>
  [...parties.partners.keys()]
    .flatMap((address): Affiliate[] => {
      const parts = lost.flatMap(({ taking }) => {
        const part = taking.others.find((other) => other.address === address);
        return part === undefined ? [] : [{ taking, amountRaw: part.amountRaw }];
      });
      if (parts.length === 0) return [];
      const usds = parts.map(({ taking, amountRaw }) => values.usdOf({ ...taking, amountRaw }));
      const shares = parts.map(({ taking, amountRaw }) => Number(amountRaw) / Number(taking.lostRaw));
      return [
        {
          address,
          label: parties.labels.get(address) ?? null,
          share: tidyShare(shares.reduce((sum, share) => sum + share, 0) / shares.length),
          victims: new Set(parts.map(({ taking }) => taking.payer)).size,
          transactions: new Set(parts.map(({ taking }) => taking.hash)).size,
          usd: usds.every((usd) => usd === null)
            ? null
            : usds.reduce<number>((all, usd) => all + (usd ?? 0), 0),
          signatures: [...new Set(parts.map(({ taking }) => taking.hash))].slice(-EXAMPLES_MAX).reverse(),
        },
      ];
    })
    .sort((a, b) => b.transactions - a.transactions || (a.address < b.address ? -1 : 1));
