import type { Address } from '../model/address.ts';
import type { Asset } from '../model/asset.ts';
import type { Backfills } from '../model/backfills.ts';
import type { AssetFacts } from '../model/describe-asset.ts';
import { isReadSince, secondsReadBefore } from '../model/history-coverage.ts';
import { type HoldingReader, NO_HOLDINGS } from '../model/holding-reader.ts';
import { isTill, type Label } from '../model/label.ts';
import { refuseWithoutAnswer } from '../session/left-out.ts';
import { findBehaviours } from './behaviours/find-behaviours.ts';
import type { Observed } from './behaviours/observed.ts';
import { describeProgram, isProgram } from './control/describe-program.ts';
import { describeToken } from './control/describe-token.ts';
import { type Delegation, readDelegation } from './control/find-delegation.ts';
import { knowFrozen, readFreezes } from './control/find-frozen.ts';
import { type Control, readControl } from './control/read-control.ts';
import { describeBasis, describeScope, seenInOf } from './describe-scope.ts';
import type { Exposure } from './exposure/exposure.ts';
import { findExposure } from './exposure/find-exposure.ts';
import { askHoldings, findBalances, findOverdrawn, sumBalances } from './find-balances.ts';
import { findConnections } from './find-connections.ts';
import { findIdentity, isTokenByFacts } from './find-identity.ts';
import { findLookalikes } from './find-lookalikes.ts';
import { findServicesUsed } from './find-services.ts';
import { predictIdentity } from './predict/predict-identity.ts';
import type { AnalyzeRequest, Profile } from './profile.ts';
import { createQueryContext, type Ports, type QueryContext } from './query-context.ts';
import { readAround } from './read-around.ts';
import { readSubject, type Subject } from './read-subject.ts';
import { findRisk, type Judged, retraceLabels } from './risk/find-risk.ts';
import { TIME_BUDGET_MS } from './rules.ts';
import { signProfile } from './sign-profile.ts';
import { sumActivity } from './sum-activity.ts';
import { traceFunding } from './trace-funding.ts';
import { readFacts, readPrices, valueTransfers } from './value-transfers.ts';

export type AnalyzeDependencies = Omit<Ports, 'holdings'> & {
  /** Asks the chain's nodes for balances. Without it no node is asked. */
  readonly holdings?: HoldingReader;
  readonly backfills: Backfills;
  readonly clock: { readonly nowUnixMs: () => number };
  readonly signal: AbortSignal;
  readonly budgetMs?: number;
};

/**
 * Builds the profile of an address from the tables: who it is and what it did. When the time budget cuts
 * parts off, the profile is `partial`. Throws `ReadFailedError` when the tables cannot be read.
 */
export const analyze = async (
  { chain, address }: AnalyzeRequest,
  {
    backfills,
    clock,
    signal,
    budgetMs = TIME_BUDGET_MS,
    holdings = NO_HOLDINGS,
    ...readers
  }: AnalyzeDependencies,
): Promise<Profile> => {
  const caller = { chain, backfills, clock, signal, budgetMs };
  const { reader, control, tokens, prices, assets } = readers;
  const ports = { reader, control, tokens, prices, assets, holdings };
  const context = createQueryContext({ ...caller, ports });
  return profile(address, context).catch(refuseWithoutAnswer);
};

const profile = async (address: Address, context: QueryContext): Promise<Profile> => {
  const [subject, control, freezes] = await Promise.all([
    readSubject(address, context),
    context.attempt('control', () => readControl(address, context)),
    context.attempt('freezes', () => readFreezes(address, context)),
  ]);
  const firstSeen = firstSeenOf(subject);
  const delegation = await context.attempt('delegation', () =>
    readDelegation(address, control, subject.entries, context),
  );
  const power = { control, delegation, frozen: knowFrozen(freezes, firstSeen), firstSeen };
  return subject.summary === null
    ? describeUnused(address, subject, power, context)
    : describeUsed(address, { ...subject, summary: subject.summary }, power, context);
};

/** Without the whole history there may be an earlier transaction. */
const firstSeenOf = ({ history, summary }: Subject): number | null =>
  history === 'whole' ? (summary?.firstUnixSeconds ?? null) : null;

/** Who controls the address, and whether an issuer has frozen its balances. */
type Power = {
  readonly control: Control | null;
  readonly delegation: Delegation | null;
  readonly frozen: Profile['frozen'];
  /** Of the address itself; null when it is not known. */
  readonly firstSeen: number | null;
};

/** Facts about the address as a program or as a token, from its control events. */
const describeCode = async (
  address: Address,
  { control, firstSeen }: Power,
  facts: AssetFacts | undefined,
  context: QueryContext,
): Promise<Pick<Profile, 'token' | 'program'>> => {
  if (control === null) return { token: null, program: null };
  const isToken = isTokenByFacts(facts) || isMint(control);
  const [token, program] = await Promise.all([
    isToken ? describeToken(address, control, context) : null,
    isProgram(control) ? describeProgram(address, control, context, firstSeen) : null,
  ]);
  return { token, program };
};

const isMint = ({ events }: Control): boolean => events.some(({ kind }) => kind === 'mint_created');

const codeTypeOf = ({ control }: Power, { chain }: QueryContext): 'token' | 'program' | 'contract' | null => {
  if (control !== null && isMint(control)) return 'token';
  if (control === null || !isProgram(control)) return null;
  return chain.family === 'solana' ? 'program' : 'contract';
};

/** No row contains the address, so only its labels are known. */
const describeUnused = async (
  address: Address,
  subject: Subject,
  power: Power,
  context: QueryContext,
): Promise<Profile> => {
  const { history } = subject;
  const facts = await readFacts([address], context);
  const own = facts.get(address);
  const code = await describeCode(address, power, own, context);
  const nothing = { funding: null, behaviours: [], connections: [], services: [], lookalikes: [] };
  return {
    chain: context.chain,
    address,
    history,
    ...nothing,
    identity: findIdentity({ ...subject, isUsed: false, codeType: codeTypeOf(power, context) }, null, own),
    labels: subject.said,
    risk: findRisk({
      label: subject.label,
      exposure: { in: null, out: null },
      behaviours: [],
      funding: null,
      ...{ frozen: power.frozen, delegation: power.delegation },
      basis: describeBasis(subject),
      symbolOf: (asset) => nameOf(asset, facts),
    }),
    ...code,
    frozen: power.frozen,
    activity: null,
    balances: [],
    facts,
    signatures: new Map(),
    meta: describeScope({
      subject,
      cut: context.cut,
      overdrawn: [],
      isCode: code.token !== null || code.program !== null,
      frozen: power.frozen,
    }),
  };
};

type UsedSubject = Subject & { readonly summary: NonNullable<Subject['summary']> };

const describeUsed = async (
  address: Address,
  subject: UsedSubject,
  power: Power,
  context: QueryContext,
): Promise<Profile> => {
  const { chain } = context;
  const { summary, entries, isAllRead, label, said, history, span } = subject;
  const canonicalAssets = summary.canonicalAssets.map(({ canonicalAsset }) => canonicalAsset);
  const facts = await readFacts([address, ...canonicalAssets], context);
  const transfers = await valueTransfers(entries, facts, context);
  const [around, alike, funding, priceNow, code] = await Promise.all([
    readAround(transfers, entries, context),
    context.attempt('look-alikes', () => findLookalikes(address, entries, context)),
    context.attempt('funding', () => traceFunding(address, context)),
    readPriceNow(canonicalAssets, span?.toUnixSeconds ?? summary.lastUnixSeconds, context),
    describeCode(address, power, facts.get(address), context),
  ]);
  const isComplete = history === 'whole' && isAllRead;
  const lookalikes = alike ?? [];
  const observed: Observed = {
    chain,
    wallet: address,
    label,
    summary,
    entries,
    lookalikes,
    isComplete,
    secondsReadBefore: (at) => (history === 'whole' ? Number.POSITIVE_INFINITY : secondsReadBefore(span, at)),
    isReadSince: (at) => history === 'whole' || isReadSince(span, at),
    seenIn: seenInOf(subject),
    ...around,
    payments: transfers.filter(({ isSwap }) => !isSwap),
    trades: transfers.filter(({ isSwap }) => isSwap),
    headUnixSeconds: span?.toUnixSeconds ?? summary.lastUnixSeconds,
  };
  const behaviours = findBehaviours(observed);
  const judged: Judged = {
    label,
    exposure: await readExposure(observed, context),
    behaviours,
    funding,
    ...{ frozen: power.frozen, delegation: power.delegation },
    basis: describeBasis(subject),
    symbolOf: (asset) => nameOf(asset, facts),
  };
  const told = {
    risk: await retraceLabels(findRisk(judged), judged, (party) =>
      context.attempt('labels left out', () => readExposure(...withoutLabel(observed, context, party))),
    ),
    funding,
    behaviours,
    connections: findConnections(transfers, around.labels, chain),
    services: findServicesUsed(observed.payments, around.services),
    lookalikes,
  };
  const signatures = (await context.attempt('signatures', () => signProfile(told, context))) ?? new Map();
  const balances = sumBalances(summary);
  const overdrawn = findOverdrawn(balances, chain);
  // A negative sum proves that rows are missing, whatever the coverage says.
  const isTold = history === 'whole' && overdrawn.length === 0;
  const held = isTold
    ? null
    : await context.attempt('balances', () => askHoldings(address, balances, context));
  return {
    chain,
    address,
    history,
    ...told,
    ...code,
    facts,
    signatures,
    frozen: power.frozen,
    identity: findIdentity(
      { label, said, isUsed: true, codeType: codeTypeOf(power, context) },
      predictIdentity(observed, behaviours),
      facts.get(address),
    ),
    labels: said,
    activity: sumActivity(subject, transfers),
    balances: findBalances(balances, {
      isComplete: history === 'whole',
      facts,
      priceNow,
      held: held ?? new Map(),
    }),
    meta: describeScope({
      subject,
      cut: context.cut,
      isCode: false,
      frozen: power.frozen,
      overdrawn: overdrawn.map(({ canonicalAsset }) => nameOf(canonicalAsset, facts)),
    }),
  };
};

const readExposure = async (observed: Observed, context: QueryContext): Promise<Exposure> => {
  const { wallet, label, payments, labels } = observed;
  const request = { wallet, payments, labels, isTraced: !isTill(label) };
  const [came, went] = await Promise.all([
    findExposure({ ...request, direction: 'in' }, context),
    findExposure({ ...request, direction: 'out' }, context),
  ]);
  return { in: came, out: went };
};

/** The same exposure, computed as if this party had no label. */
const withoutLabel = (
  observed: Observed,
  context: QueryContext,
  party: Address,
): [Observed, QueryContext] => {
  const hide = (labels: ReadonlyMap<Address, Label>): ReadonlyMap<Address, Label> =>
    new Map([...labels].filter(([address]) => address !== party));
  const labels: QueryContext['reader']['labels'] = async (common, addresses) =>
    (await context.reader.labels(common, addresses)).map((label, at) =>
      addresses[at] === party ? null : label,
    );
  return [
    { ...observed, labels: hide(observed.labels) },
    { ...context, reader: { ...context.reader, labels } },
  ];
};

const nameOf = (canonicalAsset: Asset, facts: ReadonlyMap<Asset, AssetFacts>): string =>
  facts.get(canonicalAsset)?.symbol ?? canonicalAsset;

const readPriceNow = async (
  canonicalAssets: readonly Asset[],
  nowUnixSeconds: number,
  context: QueryContext,
): Promise<(canonicalAsset: Asset) => number | null> => {
  const moved = canonicalAssets.map((canonicalAsset) => ({ canonicalAsset, blockTime: nowUnixSeconds }));
  const priceOf = await readPrices(moved, context);
  return (canonicalAsset) => priceOf({ canonicalAsset, blockTime: nowUnixSeconds })?.usd ?? null;
};
