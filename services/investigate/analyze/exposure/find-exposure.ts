import type { Address } from '../../model/address.ts';
import { stablecoinsOf } from '../../model/asset.ts';
import type { Label } from '../../model/label.ts';
import { NATIVE } from '../../model/movement.ts';
import type { WalletFlows } from '../../model/profile-reader.ts';
import { answersByKey } from '../../model/query.ts';
import type { Direction } from '../../model/trace-reader.ts';
import type { Transfer } from '../profile.ts';
import type { QueryContext } from '../query-context.ts';
import { readFacts, readPrices, worthOf } from '../value-transfers.ts';
import type { ExposureSide, PathStep } from './exposure.ts';
import { type Claim, createLedger, type Ledger, sumClaims } from './exposure-ledger.ts';
import { flowKey, type WorthFlow } from './holdings.ts';
import { EXPOSURE_HOPS_MAX, FRONTIER_MAX, FRONTIER_SHARE_MIN, PARTIES_MAX, PAYEES_OF_CODE } from './rules.ts';
import { shareBackward, shareForward } from './share-history.ts';

type Request = {
  readonly wallet: Address;
  readonly direction: Direction;
  /** The subject's own transfers, without those of swaps. */
  readonly payments: readonly Transfer[];
  readonly labels: ReadonlyMap<Address, Label>;
  /**
   * Whether to look behind unlabelled counterparties. A service's customers are not its sources, so for
   * services it is false.
   */
  readonly isTraced: boolean;
};

/**
 * Finds the sources (`in`) or destinations (`out`) of the subject's money: labelled parties reached directly,
 * or through unlabelled wallets up to four hops away. Follows time order and divides pro rata by what each
 * wallet held. Services, contracts and busy wallets end a path, and the money behind them is unattributed.
 * Two queries a hop: one for all flows, one for all labels.
 */
export const findExposure = async (request: Request, context: QueryContext): Promise<ExposureSide | null> => {
  const { wallet, direction, payments, labels, isTraced } = request;
  const own = payments.filter((each) => each.direction === direction && (each.usd ?? 0) > 0);
  const totalUsd = own.reduce((sum, { usd }) => sum + (usd ?? 0), 0);
  if (totalUsd <= 0) return null;
  const ledger = createLedger(totalUsd);
  let frontier = ledger.take(
    own.map((payment) => toClaim(wallet, payment)),
    labels,
    1,
  );
  for (let hop = 2; isTraced && hop <= EXPOSURE_HOPS_MAX && frontier.size > 0; hop += 1) {
    const next = await context.attempt('exposure', () =>
      expand(frontier, { subject: wallet, hop, direction, ledger }, context),
    );
    if (next === null) break;
    frontier = next;
  }
  ledger.leaveOut(frontier);
  return ledger.finish();
};

const toClaim = (subject: Address, { counterparty, usd, ...flow }: Transfer): Claim => ({
  party: counterparty,
  key: flowKey(flow),
  usd: usd ?? 0,
  path: [toStep(subject, { ...flow, counterparty, usd }, usd ?? 0)],
});

/** Money moves from payer to payee in both search directions. */
const toStep = (owner: Address, flow: WorthFlow, usd: number): PathStep => {
  const { direction, counterparty, blockTime, blockNumber, txIndex, canonicalAsset, amountRaw } = flow;
  const [from, to] = direction === 'in' ? [counterparty, owner] : [owner, counterparty];
  return { blockTime, blockNumber, txIndex, from, to, canonicalAsset, amountRaw, usd };
};

/** Claims on the money of unlabelled wallets, by wallet. */
type Frontier = ReadonlyMap<Address, readonly Claim[]>;

type Hop = {
  readonly subject: Address;
  readonly hop: number;
  readonly direction: Direction;
  readonly ledger: Ledger;
};

/**
 * Looks one hop further, at the wallets with most of the money. Nothing is booked until everything was read.
 */
const expand = async (
  frontier: Frontier,
  { subject, hop, direction, ledger }: Hop,
  context: QueryContext,
): Promise<Frontier> => {
  const { asked, left } = chooseWallets(frontier, ledger.totalUsd);
  const around = await readWorth([...asked.keys()], context);
  const looked = [...asked].map(([wallet, claims]) => ({
    claims,
    shared: shareClaims(wallet, around.get(wallet), claims, direction),
  }));
  const found = looked.flatMap(({ shared }) => shared?.claims ?? []);
  // Money that came back from an address the subject had paid is traced on, even if that address has a label.
  const parties = [...new Set(found.map(({ party }) => party))].filter((party) => party !== subject);
  const labels = await answersByKey(context.reader.labels, context.onChain, parties);
  ledger.leaveOut(left);
  for (const { claims, shared } of looked) {
    if (shared === null) ledger.stop(claims);
    else ledger.look(shared.unattributed);
  }
  return ledger.take(found, labels, hop);
};

type SharedClaims = { readonly claims: readonly Claim[]; readonly unattributed: number };

/** The claims on one wallet, divided among its movements; null when the path ends at it. */
const shareClaims = (
  wallet: Address,
  history: WorthFlows | undefined,
  claims: readonly Claim[],
  direction: Direction,
): SharedClaims | null => {
  if (history === undefined || isBusy(history)) return null;
  const demands = new Map<string, number>();
  for (const { key, usd } of claims) demands.set(key, (demands.get(key) ?? 0) + usd);
  const share = direction === 'in' ? shareBackward : shareForward;
  const { shares, unattributed } = share(history.flows, demands);
  // Reports the path by which most of the money went. The amount on each step is the sum of all demands.
  const [largest] = claims.toSorted((a, b) => b.usd - a.usd);
  const before = largest?.path ?? [];
  const shared = [...shares].map(([flow, usd]): Claim => {
    const step = toStep(wallet, flow, usd);
    const path = direction === 'in' ? [step, ...before] : [...before, step];
    return { party: flow.counterparty, key: flowKey(flow), usd, path };
  });
  return { claims: shared, unattributed };
};

const chooseWallets = (
  frontier: Frontier,
  totalUsd: number,
): { readonly asked: Frontier; readonly left: Frontier } => {
  const inOrder = [...frontier].toSorted((a, b) => sumClaims(b[1]) - sumClaims(a[1]));
  const isAsked = ([, claims]: (typeof inOrder)[number], at: number): boolean =>
    at < FRONTIER_MAX && sumClaims(claims) >= totalUsd * FRONTIER_SHARE_MIN;
  return {
    asked: new Map(inOrder.filter(isAsked)),
    left: new Map(inOrder.filter((each, index) => !isAsked(each, index))),
  };
};

type WorthFlows = Omit<WalletFlows, 'flows'> & { readonly flows: readonly WorthFlow[] };

const readWorth = async (
  wallets: readonly Address[],
  context: QueryContext,
): Promise<ReadonlyMap<Address, WorthFlows>> => {
  const { chain, reader, onChain } = context;
  const canonicalAssets = [NATIVE, ...stablecoinsOf(chain).map(({ asset }) => asset)];
  const around = await reader.flowsAround({ ...onChain, wallets, canonicalAssets });
  const facts = await readFacts(canonicalAssets, context);
  const priceOf = await readPrices(
    around.flatMap(({ flows }) => flows),
    context,
  );
  return new Map(
    around.map((each) => [
      each.wallet,
      { ...each, flows: each.flows.map((flow) => ({ ...flow, usd: worthOf(flow, priceOf(flow), facts) })) },
    ]),
  );
};

/** The wallet has too many counterparties to say whose money is whose, or it is code that pays strangers. */
const isBusy = ({ flows, isComplete, signs }: WorthFlows): boolean => {
  const own = flows.filter(({ isSwap }) => !isSwap);
  const payees = new Set(own.filter(({ direction }) => direction === 'out').map((flow) => flow.counterparty));
  const parties = new Set(own.map(({ counterparty }) => counterparty));
  return !isComplete || parties.size > PARTIES_MAX || (!signs && payees.size >= PAYEES_OF_CODE);
};
