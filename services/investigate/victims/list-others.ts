import type { Values } from '../model/value-amounts.ts';
import type { Parties } from './read-parties.ts';
import { OTHERS_SHOWN } from './rules.ts';
import { byPayer, type Ruling } from './settle-losses.ts';
import { sumKnown } from './sum-known.ts';
import type { OtherPayer, Victim } from './victims-report.ts';

/**
 * Payers that are no victims, each with the reason that applies to most of its payments. Payers that also
 * lost something are left out.
 */
export const listOthers = (
  rulings: readonly Ruling[],
  victims: readonly Victim[],
  { parties: { labels }, values }: { readonly parties: Parties; readonly values: Values },
): {
  readonly shown: readonly OtherPayer[];
  readonly total: number;
  readonly contracts: readonly OtherPayer[];
} => {
  const lost = new Set(victims.map(({ address }) => address));
  const others = [...byPayer(rulings)].flatMap(([address, own]): OtherPayer[] => {
    if (lost.has(address)) return [];
    const reasons = [...Map.groupBy(own, ({ reason }) => reason)].sort((a, b) => b[1].length - a[1].length);
    const reason = reasons[0]?.[0] ?? null;
    if (reason === null) return [];
    const transactions = new Set(own.map(({ taking }) => taking.hash)).size;
    const usd = sumKnown(
      own.map(({ taking }) => values.usdOf({ ...taking, amountRaw: taking.toSubjectRaw })),
    );
    return [{ address, label: labels.get(address) ?? null, reason, transactions, usd }];
  });
  others.sort((a, b) => b.transactions - a.transactions || (a.address < b.address ? -1 : 1));
  const contracts = others.filter(({ reason }) => reason === 'contract');
  return { shown: others.slice(0, OTHERS_SHOWN), total: others.length, contracts };
};
