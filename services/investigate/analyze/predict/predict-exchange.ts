import { countOf } from '../../model/count-of.ts';
import { isDepositAddress } from '../../model/label.ts';
import { NATIVE } from '../../model/movement.ts';
import { type TransactionRow, transactionKey } from '../../model/transfer-reader.ts';
import { countParties, isIn, isInEarnest, isOut, type Observed } from '../behaviours/observed.ts';
import type { Prediction, Transfer } from '../profile.ts';
import { sumUsd } from '../sum-sides.ts';

/**
 * Minimums for a cold wallet. A customer withdraws less, less often, and from a single wallet that also pays
 * customers.
 */
const COLD_USD_MIN = 1_000_000;
const COLD_ARRIVALS_MIN = 5;
const COLD_SHARE_MIN = 0.9;

/** The wallet only receives large amounts from one exchange's own wallets. */
export const predictColdWallet = (observed: Observed): Prediction | null => {
  const earnest = observed.payments.filter(isInEarnest);
  const came = earnest.filter(isIn);
  const source = mainExchange(came, observed);
  if (source === null || earnest.some(isOut)) return null;
  const { entity, usd, share, arrivals } = source;
  if (usd < COLD_USD_MIN || arrivals < COLD_ARRIVALS_MIN || share < COLD_SHARE_MIN) return null;
  const why = `${entity} moved ${dollars(usd)} into it in ${arrivals} transfers, and nothing ever left it.`;
  return { type: 'exchange', confidence: 0.6, why };
};

const HOT_PAYEES_MIN = 15;
const HOT_SHARE_MIN = 0.6;
const HOT_USD_MIN = 100_000;

/** One exchange's own wallets fund the wallet, and it pays strangers. */
export const predictHotWallet = (observed: Observed): Prediction | null => {
  const earnest = observed.payments.filter(isInEarnest);
  const payees = countParties(earnest.filter(isOut));
  const source = mainExchange(earnest.filter(isIn), observed);
  if (source === null || payees < HOT_PAYEES_MIN) return null;
  if (source.share < HOT_SHARE_MIN || source.usd < HOT_USD_MIN) return null;
  const why = `${source.entity} filled it with ${dollars(source.usd)}, and it paid ${payees} addresses.`;
  return { type: 'exchange', confidence: 0.8, why };
};

/** A customer pays one deposit address and a family pays a few. Neither pays for other customers' sweeps. */
const GAS_MIN = 5;
const GAS_SHARE_MIN = 0.5;

/**
 * The wallet pays for the sweeps of one exchange's deposit addresses. It sends them coin for gas, or it pays
 * the fee of transactions in which that exchange's addresses pay each other.
 */
export const predictGasWallet = (observed: Observed): Prediction | null => {
  const fed = findMost(
    [...Map.groupBy(observed.payments.filter(isOut), ({ counterparty }) => counterparty)].map(
      ([payee, of]) =>
        of.every(({ canonicalAsset }) => canonicalAsset === NATIVE) ? depositOf(payee, observed) : null,
    ),
  );
  if (fed !== null) {
    const why = `It gave coin to ${countOf(fed.count, 'deposit address', 'deposit addresses')} of ${fed.entity}.`;
    return { type: 'exchange', confidence: 0.7, why };
  }
  const paidFor = findMost(
    [...Map.groupBy(sentForOthers(observed), transactionKey).values()].map((rows) =>
      movedWithin(rows, observed),
    ),
  );
  if (paidFor === null) return null;
  const why = `It paid the fees of ${countOf(paidFor.count, 'transaction')} by which addresses of ${paidFor.entity} paid one another.`;
  return { type: 'exchange', confidence: 0.7, why };
};

const depositOf = (address: string, { labels, services }: Observed): string | null => {
  const label = labels.get(address);
  return label && isDepositAddress(label) ? (services.get(address)?.entity ?? null) : null;
};

const sentForOthers = ({ siblings, wallet }: Observed): readonly TransactionRow[] =>
  siblings.filter(({ sender, from, to }) => sender === wallet && from !== wallet && to !== wallet);

/** The exchange that both sides of a row belong to. */
const movedWithin = (rows: readonly TransactionRow[], { services }: Observed): string | null => {
  for (const { from, to } of rows) {
    const [payer, payee] = [services.get(from), services.get(to)];
    if (payer?.kind === 'exchange' && payee?.entity === payer.entity) return payer.entity;
  }
  return null;
};

/** The exchange named most often, when that is enough evidence. */
const findMost = (
  named: readonly (string | null)[],
): { readonly entity: string; readonly count: number } | null => {
  const counts = [...Map.groupBy(named, (entity) => entity)].flatMap(([entity, of]) =>
    entity === null ? [] : [{ entity, count: of.length }],
  );
  const [most] = counts.toSorted((a, b) => b.count - a.count);
  return most && most.count >= GAS_MIN && most.count >= named.length * GAS_SHARE_MIN ? most : null;
};

type ExchangeShare = {
  readonly entity: string;
  readonly usd: number;
  readonly share: number;
  readonly arrivals: number;
};

/** The exchange that sent most of the inflow; null when none did. */
const mainExchange = (came: readonly Transfer[], { services }: Observed): ExchangeShare | null => {
  const all = sumUsd(came) ?? 0;
  const byEntity = Map.groupBy(came, ({ counterparty }) => {
    const service = services.get(counterparty);
    return service?.kind === 'exchange' ? service.entity : '';
  });
  byEntity.delete('');
  const sources = [...byEntity].map(([entity, of]): ExchangeShare => {
    const usd = sumUsd(of) ?? 0;
    return { entity, usd, share: all === 0 ? 0 : usd / all, arrivals: of.length };
  });
  return sources.toSorted((a, b) => b.usd - a.usd)[0] ?? null;
};

const dollars = (usd: number): string => `$${Math.round(usd).toLocaleString('en-US')}`;
