import type { Address } from '../model/address.ts';
import type { Asset } from '../model/asset.ts';
import type { AssetFacts } from '../model/describe-asset.ts';
import type { Histories } from '../model/histories.ts';
import { isService } from '../model/label.ts';
import { type Ask, createAsk } from './ask.ts';
import { findBehaviours } from './behaviours/find-behaviours.ts';
import type { Observed } from './behaviours/observed.ts';
import { describeScope } from './describe-scope.ts';
import type { Exposure } from './exposure/exposure.ts';
import { findExposure } from './exposure/find-exposure.ts';
import { findBalances, findOverdrawn, sumBalances } from './find-balances.ts';
import { findConnections } from './find-connections.ts';
import { findIdentity } from './find-identity.ts';
import { findImitated, findImitationsMet } from './find-lookalikes.ts';
import { findServicesUsed } from './find-services.ts';
import { type History, knowHistory } from './know-history.ts';
import { predictIdentity } from './predict-identity.ts';
import type { AnalyzeRequest, Profile } from './profile.ts';
import { readAround } from './read-around.ts';
import { readSubject, type Subject } from './read-subject.ts';
import { findRisk } from './risk/find-risk.ts';
import { TIME_BUDGET_MS } from './rules.ts';
import { signProfile } from './sign-profile.ts';
import { sumActivity } from './sum-activity.ts';
import { traceFunding } from './trace-funding.ts';
import { readFacts, readPrices, valueTransfers } from './value-transfers.ts';

export type AnalyzeDependencies = Pick<Ask, 'reader' | 'prices' | 'assets'> & {
  readonly histories: Histories;
  readonly clock: { readonly nowUnixMs: () => number };
  readonly signal: AbortSignal;
  readonly budgetMs?: number;
};

/**
 * Who an address is and what it did, from what the tables hold of it. What the time budget cuts off makes the profile `partial`.
 * Throws `ReadFailedError` where the tables cannot be read.
 */
export const analyze = async (
  { chain, address }: AnalyzeRequest,
  { histories, clock, signal, budgetMs = TIME_BUDGET_MS, ...ports }: AnalyzeDependencies,
): Promise<Profile> => {
  const ask = createAsk({ ...ports, chain, signal, budgetMs, nowMs: () => clock.nowUnixMs() });
  const subject = await readSubject(address, ask);
  const history = knowHistory(chain, address, subject.span, histories);
  return subject.summary === null
    ? describeUnused(address, subject, history, ask)
    : describeUsed(address, { ...subject, summary: subject.summary }, history, ask);
};

/** No row names it: what labels say is all there is. */
const describeUnused = async (
  address: Address,
  subject: Subject,
  history: History,
  ask: Ask,
): Promise<Profile> => {
  const facts = await readFacts([address], ask);
  const nothing = { funding: null, behaviours: [], connections: [], services: [], lookalikes: [] };
  return {
    ...{ chain: ask.chain, address, history, ...nothing },
    identity: findIdentity({ ...subject, isUsed: false }, null, facts.get(address)),
    labels: subject.said,
    risk: findRisk({
      label: subject.label,
      exposure: { in: null, out: null },
      behaviours: [],
      funding: null,
    }),
    activity: null,
    balances: [],
    facts,
    signatures: new Map(),
    meta: describeScope({ subject, history, cut: ask.cut, overdrawn: [] }),
  };
};

type UsedSubject = Subject & { readonly summary: NonNullable<Subject['summary']> };

const describeUsed = async (
  address: Address,
  subject: UsedSubject,
  history: History,
  ask: Ask,
): Promise<Profile> => {
  const { chain } = ask;
  const { summary, entries, isAllRead, label, said, span } = subject;
  const families = summary.families.map(({ family }) => family);
  const facts = await readFacts([address, ...families], ask);
  const transfers = await valueTransfers(entries, facts, ask);
  const [around, imitated, funding, priceNow] = await Promise.all([
    readAround(transfers, ask),
    ask.attempt('look-alikes', () => findImitated(address, entries, ask)),
    ask.attempt('funding', () => traceFunding(address, ask)),
    readPriceNow(families, span?.toUnixSeconds ?? summary.lastUnixSeconds, ask),
  ]);
  const isWhole = history === 'whole' && isAllRead;
  const lookalikes = [...(imitated ?? []), ...findImitationsMet(address, entries)];
  const observed: Observed = {
    ...{ chain, wallet: address, label, summary, entries, lookalikes, isWhole, ...around },
    payments: transfers.filter(({ isSwap }) => !isSwap),
    trades: transfers.filter(({ isSwap }) => isSwap),
    headUnixSeconds: span?.toUnixSeconds ?? summary.lastUnixSeconds,
  };
  const behaviours = findBehaviours(observed);
  const told = {
    risk: findRisk({ label, exposure: await readExposure(observed, ask), behaviours, funding }),
    funding,
    behaviours,
    connections: findConnections(transfers, around.labels, chain),
    services: findServicesUsed(observed.payments, around.services),
    lookalikes,
  };
  const signatures = (await ask.attempt('signatures', () => signProfile(told, ask))) ?? new Map();
  const balances = sumBalances(summary);
  return {
    ...{ chain, address, history, ...told, facts, signatures },
    identity: findIdentity({ label, said, isUsed: true }, predictIdentity(observed), facts.get(address)),
    labels: said,
    activity: sumActivity(summary, transfers, isAllRead),
    balances: findBalances(balances, history === 'whole', facts, priceNow),
    meta: describeScope({
      ...{ subject, history, cut: ask.cut },
      overdrawn: findOverdrawn(balances, chain).map(({ family }) => nameOf(family, facts)),
    }),
  };
};

const readExposure = async (observed: Observed, ask: Ask): Promise<Exposure> => {
  const { wallet, label, payments, labels } = observed;
  const request = { wallet, payments, labels, isTraced: !isService(label) };
  const [came, went] = await Promise.all([
    findExposure({ ...request, direction: 'in' }, ask),
    findExposure({ ...request, direction: 'out' }, ask),
  ]);
  return { in: came, out: went };
};

const nameOf = (family: Asset, facts: ReadonlyMap<Asset, AssetFacts>): string =>
  facts.get(family)?.symbol ?? family;

const readPriceNow = async (
  families: readonly Asset[],
  nowUnixSeconds: number,
  ask: Ask,
): Promise<(family: Asset) => number | null> => {
  const moved = families.map((family) => ({ family, blockTime: nowUnixSeconds }));
  const priceOf = await readPrices(moved, ask);
  return (family) => priceOf({ family, blockTime: nowUnixSeconds })?.usd ?? null;
};
