import { least, toWholeUnits } from '../model/amount.ts';
import { isListed } from '../model/asset.ts';
import { NATIVE } from '../model/movement.ts';
import type { Values } from '../model/value-amounts.ts';
import { isDust } from '../trace/dust.ts';
import { type Allowed, findMethod } from './find-method.ts';
import { isDoubtful, isServiceLabel, type Parties } from './learn-parties.ts';
import { DUST_USD, PAID_SHARE, SPLIT_MAX } from './rules.ts';
import type { Method, NoVictim, VictimsRequest } from './victims-report.ts';
import type { Taking } from './weigh-transaction.ts';

/** What a taking is, before what the subject paid to the payer at other times is looked at. */
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
  /** The most that a whole coin was worth; null where that is not known. */
  readonly coinUsd: number | null;
  readonly allowed: Allowed;
};

/** `together`: everything that the payer parted with in that transaction. */
export const judgeTaking = (taking: Taking, together: readonly Taking[], judging: Judging): Judged => {
  const { request, parties, values } = judging;
  const method = findMethod(request.chain, taking, judging.allowed);
  const reason = findReason({ taking, together, method }, judging);
  if (reason !== null || method === 'code') return { taking, reason: reason ?? 'contract' };
  const isSigned = method === 'transfer';
  const amountRaw = isSigned ? takenRaw(taking, parties) : taking.lostRaw;
  const usd = values.usdOf({ ...taking, amountRaw });
  const isPoisoned = isSigned && parties.imitated.has(taking.payer);
  return { taking, reason: null, method: isPoisoned ? 'poisoned' : method, amountRaw, usd };
};

/** Of a payment that the payer signed: what the subject and those who share with it got. The rest is the payer's business. */
const takenRaw = ({ toSubjectRaw, others, lostRaw }: Taking, { partners, own }: Parties): bigint =>
  others
    .filter(({ address }) => partners.has(address) || own.has(address))
    .reduce((sum, { amountRaw }) => least(sum + amountRaw, lostRaw), toSubjectRaw);

type TakingFacts = {
  readonly taking: Taking;
  readonly together: readonly Taking[];
  readonly method: Method | 'code';
};

const findReason = ({ taking, together, method }: TakingFacts, judging: Judging): NoVictim | null => {
  const { request, parties } = judging;
  const { payer } = taking;
  const label = parties.labels.get(payer);
  if (isServiceLabel(label)) return 'service';
  if (parties.partners.has(payer)) return 'partner';
  if (parties.own.has(payer) || label?.kind === 'hack') return 'own_wallet';
  if (method === 'code') return 'contract';
  if (isDoubtful(request, taking) && !isProven(taking, judging)) return 'unproven_token';
  if (gotItsWorth(together, method, judging)) return 'exchanged';
  if (method !== 'transfer') return null;
  if (parties.popular.has(payer)) return 'service';
  return unaskedReason(taking, together, judging);
};

/** The payer dealt with the token itself, or allowed the spender in a transaction of its own. */
const isProven = (taking: Taking, { parties, allowed }: Judging): boolean =>
  parties.isProven({ wallet: taking.payer, canonicalAsset: taking.canonicalAsset }) ||
  allowed.grantOf(taking)?.byHolder === true;

/**
 * What a payer got of unknown worth for a payment that it signed is taken for the price: nobody is called a victim who may
 * have bought something. Whose allowance was used signed for no
 * trade: only listed assets count for it, since whoever makes a token can trade it with himself at any price.
 */
const gotItsWorth = (
  together: readonly Taking[],
  method: Method,
  { request: { chain }, values }: Judging,
): boolean => {
  const all = together[0]?.gains ?? [];
  const isSigned = method === 'transfer' || method === 'signed_order';
  const gains = isSigned ? all : all.filter(({ canonicalAsset }) => isListed(chain, canonicalAsset));
  if (gains.length === 0) return false;
  const at = { blockTime: together[0]?.blockTime ?? 0 };
  const gained = gains.map((gain) => values.usdOf({ ...gain, ...at }));
  const lost = together.map((each) => values.usdOf({ ...each, amountRaw: each.lostRaw }));
  const isUnknown = [...gained, ...lost].includes(null);
  if (isUnknown) return method === 'transfer' || gained.some((usd) => usd !== null && usd > DUST_USD);
  return sum(gained) >= PAID_SHARE * sum(lost);
};

/** Gifts that anybody may send. */
const unaskedReason = (taking: Taking, together: readonly Taking[], judging: Judging): NoVictim | null => {
  const { values, parties, dustBelowUsd } = judging;
  if (taking.others.length + 1 > SPLIT_MAX) return 'airdrop';
  const worths = together.map((each) => values.usdOf({ ...each, amountRaw: each.lostRaw }));
  const isDeceived = parties.imitated.has(taking.payer) || paysPartner(together, parties);
  if (sum(worths) >= (isDeceived ? DUST_USD : dustBelowUsd)) return null;
  const coin = together.find(({ canonicalAsset }) => canonicalAsset === NATIVE);
  if (worths.every((usd) => usd !== null)) return 'dust';
  if (coin !== undefined && values.usdOf({ ...coin, amountRaw: coin.lostRaw }) === null)
    return isCrumb(coin, judging) ? 'dust' : null;
  // Several assets at once are what drainers take; an airdrop sends one.
  return together.length > 1 ? null : 'airdrop';
};

/** Who sends a gift shares it with nobody: only the thief's own software pays both. */
const paysPartner = (together: readonly Taking[], { partners }: Parties): boolean =>
  together.some(({ others }) => others.some(({ address }) => partners.has(address)));

/** Of coin whose worth at that time is not known. */
const isCrumb = ({ lostRaw }: Taking, { request, values, dustBelowUsd, coinUsd }: Judging): boolean => {
  if (isDust(request.chain, NATIVE, lostRaw)) return true;
  return coinUsd !== null && toWholeUnits(lostRaw, values.assetOf(NATIVE).decimals) * coinUsd < dustBelowUsd;
};

const sum = (usds: readonly (number | null)[]): number =>
  usds.reduce<number>((all, usd) => all + (usd ?? 0), 0);
