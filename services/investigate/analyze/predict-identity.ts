import { transactionKey } from '../model/transfer-reader.ts';
import type { Observed } from './behaviours/observed.ts';
import { countParties, isIn, isInEarnest, isOut } from './behaviours/observed.ts';
import type { Prediction, Transfer } from './profile.ts';
import { sumUsd } from './sum-sides.ts';

/**
 * What an address without a label seems to be, by what it did; null where that is what any wallet does. The label of a counterparty
 * is evidence, and so is who signs.
 */
export const predictIdentity = (observed: Observed): Prediction | null =>
  predictContract(observed) ?? predictColdWallet(observed) ?? predictHotWallet(observed);

/** Payments by others alone may be sponsored once or twice. */
const UNSIGNED_MIN = 3;

/** It pays out and never signs: code decides about its money. */
const predictContract = (observed: Observed): Prediction | null => {
  const { entries, payments, trades, chain } = observed;
  const gave = [...payments, ...trades].filter(isOut);
  const payees = countParties(gave);
  if (gave.length < UNSIGNED_MIN || payees < UNSIGNED_MIN || entries.some(({ isSender }) => isSender))
    return null;
  const traders = countTraders(observed);
  if (traders >= UNSIGNED_MIN) {
    const why = `It never sent a transaction itself, and gave ${traders} payers another asset back at once.`;
    return { type: 'dex', confidence: 0.75, why };
  }
  const why = `It paid ${payees} addresses and never sent a transaction itself.`;
  return { type: chain.family === 'evm' ? 'contract' : 'program', confidence: 0.8, why };
};

/** Who got another asset back from it within the transaction that paid it. */
const countTraders = ({ siblings, wallet }: Observed): number =>
  new Set(
    [...Map.groupBy(siblings, transactionKey).values()].flatMap((rows) =>
      rows.flatMap(({ from, to, family }) =>
        to === wallet &&
        rows.some((back) => back.from === wallet && back.to === from && back.family !== family)
          ? [from]
          : [],
      ),
    ),
  ).size;

/** Both of a cold wallet: a customer withdraws less, less often, and from one wallet that pays customers. */
const COLD_USD_MIN = 1_000_000;
const COLD_ARRIVALS_MIN = 5;
const COLD_SHARE_MIN = 0.9;

/** It only ever gets large sums from one exchange's own wallets. */
const predictColdWallet = (observed: Observed): Prediction | null => {
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

/** One exchange's own wallets fill it, and it pays strangers. */
const predictHotWallet = (observed: Observed): Prediction | null => {
  const earnest = observed.payments.filter(isInEarnest);
  const payees = countParties(earnest.filter(isOut));
  const source = mainExchange(earnest.filter(isIn), observed);
  if (source === null || payees < HOT_PAYEES_MIN) return null;
  if (source.share < HOT_SHARE_MIN || source.usd < HOT_USD_MIN) return null;
  const why = `${source.entity} filled it with ${dollars(source.usd)}, and it paid ${payees} addresses.`;
  return { type: 'exchange', confidence: 0.8, why };
};

type Source = {
  readonly entity: string;
  readonly usd: number;
  readonly share: number;
  readonly arrivals: number;
};

/** The exchange that brought most of what came in; null where none did. */
const mainExchange = (came: readonly Transfer[], { services }: Observed): Source | null => {
  const all = sumUsd(came) ?? 0;
  const byEntity = Map.groupBy(came, ({ counterparty }) => {
    const service = services.get(counterparty);
    return service?.kind === 'exchange' ? service.entity : '';
  });
  byEntity.delete('');
  const sources = [...byEntity].map(([entity, of]): Source => {
    const usd = sumUsd(of) ?? 0;
    return { entity, usd, share: all === 0 ? 0 : usd / all, arrivals: of.length };
  });
  return sources.toSorted((a, b) => b.usd - a.usd)[0] ?? null;
};

const dollars = (usd: number): string => `$${Math.round(usd).toLocaleString('en-US')}`;
