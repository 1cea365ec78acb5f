import { least, toWholeUnits } from '../model/amount.ts';
import { isListed } from '../model/asset.ts';
import { NATIVE } from '../model/movement.ts';
import type { Values } from '../model/value-amounts.ts';
import { isDust } from '../trace/dust.ts';
import { type Allowed, findMethod } from './find-method.ts';
import { isDoubtful, isServiceLabel, type Parties } from './read-parties.ts';
import { DUST_USD, PAID_SHARE, SPLIT_MAX } from './rules.ts';
import type { Method, NoVictim, VictimsRequest } from './victims-report.ts';
import type { Taking } from './weigh-transaction.ts';

/** The verdict on a taking, before the subject's other payments to the payer are considered. */
export type Judged =
  | { readonly taking: Taking; readonly reason: NoVictim }
  | {
      readonly taking: Taking;
      readonly reason: null;
      readonly method: Method;
      readonly amountRaw: bigint;
      readonly usd: number | null;
    };

export type Judging = {
  readonly request: VictimsRequest;
  readonly parties: Parties;
  readonly values: Values;
  readonly dustBelowUsd: number;
  /** The highest known dollar value of a whole coin; null when unknown. */
  readonly coinUsd: number | null;
  /** In raw units of the coin, for where no price of it is known. */
  readonly coinDustBelowRaw: bigint;
  readonly allowed: Allowed;
};

/** `together`: everything that the payer lost in that transaction. */
export const judgeTaking = (taking: Taking, together: readonly Taking[], judging: Judging): Judged => {
  const { request, parties, values } = judging;
  const method = findMethod(request.chain, taking, judging.allowed);
  const reason = findReason({ taking, together, method }, judging);
  if (reason !== null || method === 'contract') return { taking, reason: reason ?? 'contract' };
  const isSigned = method === 'transfer';
  const amountRaw = isSigned ? takenRaw(taking, parties) : taking.lostRaw;
  const usd = values.usdOf({ ...taking, amountRaw });
  const isPoisoned = isSigned && parties.imitated.has(taking.payer);
  return { taking, reason: null, method: isPoisoned ? 'poisoned' : method, amountRaw, usd };
};

/**
 * For a payment that the payer signed: only what the subject and its partners got. The rest was the payer's
 * own payment to others.
 */
const takenRaw = ({ toSubjectRaw, others, lostRaw }: Taking, { partners, own }: Parties): bigint =>
  others
    .filter(({ address }) => partners.has(address) || own.has(address))
    .reduce((sum, { amountRaw }) => least(sum + amountRaw, lostRaw), toSubjectRaw);

type TakingFacts = {
  readonly taking: Taking;
  readonly together: readonly Taking[];
  readonly method: Method | 'contract';
};

const findReason = ({ taking, together, method }: TakingFacts, judging: Judging): NoVictim | null => {
  const { request, parties } = judging;
  const { payer } = taking;
  const label = parties.labels.get(payer);
  if (isServiceLabel(label)) return 'service';
  if (parties.partners.has(payer)) return 'partner';
  if (parties.own.has(payer) || label?.kind === 'hack') return 'own_wallet';
  if (method === 'contract') return 'contract';
  if (isDoubtful(request, taking) && !isProven(taking, judging)) return 'unproven_token';
  if (gotItsWorth(together, method, judging)) return 'exchanged';
  // Code to which a wallet delegated may also do what its key signed.
  const isAsked = method === 'transfer' || (method === 'code' && taking.sender !== request.address);
  if (!isAsked) return null;
  if (parties.popular.has(payer)) return 'service';
  return unaskedReason(taking, together, judging);
};

/** The payer used the token itself before, or approved the spender in a transaction of its own. */
const isProven = (taking: Taking, { parties, allowed }: Judging): boolean =>
  parties.isProven({ wallet: taking.payer, canonicalAsset: taking.canonicalAsset }) ||
  allowed.grantOf(taking)?.byHolder === true;

/**
 * When a payer signed a payment and received something of unknown value, it counts as the price: nobody who
 * may have bought something is called a victim. When an allowance was used, the holder did not sign a trade,
 * so only listed assets count as a price: the creator of a token can trade it with himself at any price.
 */
const gotItsWorth = (
  together: readonly Taking[],
  method: Method,
  { request: { chain }, values }: Judging,
): boolean => {
  const all = together[0]?.gains ?? [];
  const isSigned = method === 'transfer' || method === 'signed_order' || method === 'code';
  const gains = isSigned ? all : all.filter(({ canonicalAsset }) => isListed(chain, canonicalAsset));
  if (gains.length === 0) return false;
  const at = { blockTime: together[0]?.blockTime ?? 0 };
  const gained = gains.map((gain) => values.usdOf({ ...gain, ...at }));
  const lost = together.map((each) => values.usdOf({ ...each, amountRaw: each.lostRaw }));
  const isUnknown = [...gained, ...lost].includes(null);
  if (isUnknown) return method === 'transfer' || gained.some((usd) => usd !== null && usd > DUST_USD);
  return sum(gained) >= PAID_SHARE * sum(lost);
};

/** Small payments that anybody may send unasked. */
const unaskedReason = (taking: Taking, together: readonly Taking[], judging: Judging): NoVictim | null => {
  const { values, parties, dustBelowUsd } = judging;
  if (taking.others.length + 1 > SPLIT_MAX) return 'airdrop';
  const worths = together.map((each) => values.usdOf({ ...each, amountRaw: each.lostRaw }));
  const isDeceived = parties.imitated.has(taking.payer) || paysPartner(together, parties);
  if (sum(worths) >= (isDeceived ? DUST_USD : dustBelowUsd)) return null;
  const coin = together.find(({ canonicalAsset }) => canonicalAsset === NATIVE);
  if (worths.every((usd) => usd !== null)) return 'dust';
  if (coin !== undefined && values.usdOf({ ...coin, amountRaw: coin.lostRaw }) === null)
    return isCoinDust(coin, judging) ? 'dust' : null;
  // A drainer takes several assets at once; an airdrop sends one.
  return together.length > 1 ? null : 'airdrop';
};

/** Only the thief's own software pays the subject and its partner together. A sender of gifts would not. */
const paysPartner = (together: readonly Taking[], { partners }: Parties): boolean =>
  together.some(({ others }) => others.some(({ address }) => partners.has(address)));

/** For coin whose price at that time is unknown. */
const isCoinDust = ({ lostRaw }: Taking, judging: Judging): boolean => {
  const { request, values, dustBelowUsd, coinUsd, coinDustBelowRaw } = judging;
  if (isDust(request.chain, NATIVE, lostRaw)) return true;
  if (coinUsd === null) return lostRaw < coinDustBelowRaw;
  return toWholeUnits(lostRaw, values.assetOf(NATIVE).decimals) * coinUsd < dustBelowUsd;
};

const sum = (usds: readonly (number | null)[]): number =>
  usds.reduce<number>((all, usd) => all + (usd ?? 0), 0);
