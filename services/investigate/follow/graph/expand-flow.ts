import type { Address } from '../../model/address.ts';
import { isService, type Label, passingKind } from '../../model/label.ts';
import { unlessLeftOut } from '../../session/left-out.ts';
import { type FollowContext, readLabels } from '../follow-context.ts';
import type { Stake } from '../payments/inflow.ts';
import {
  DECISIONS_PER_WALLET_MAX,
  FLOW_ROWS_MAX,
  FLOW_WALLETS_MAX,
  FRONTIER_AT_ONCE,
  PAYEES_PER_WALLET_MAX,
} from '../rules.ts';
import { type Brought, type Decided, decideWallet, type Lot, seeLots } from './decide-wallet.ts';
import type { FlowPayment, FlowRequest, FlowTransfer, FrontierReason } from './flow-graph.ts';

export type Start = { readonly context: FollowContext; readonly stake: Stake };

/** A wallet that the flow reached. */
export type Reached = {
  readonly address: Address;
  readonly start: Start | null;
  readonly label: Label | null;
  readonly hops: number;
  /** By payer. Empty if it lost what had reached it; such a wallet is not part of the flow. */
  readonly brought: ReadonlyMap<Address, readonly FlowTransfer[]>;
  readonly decided: Decided | null;
  /** What it paid on, no likelier than that money reached it. */
  readonly payments: readonly FlowPayment[];
  /** Why it was not read. */
  readonly left: FrontierReason | null;
};

type Growing = { -readonly [Field in keyof Reached]: Reached[Field] } & {
  brought: Map<Address, readonly FlowTransfer[]>;
  isLabelled: boolean;
  /** Of its likeliest lot; 1 at a start. */
  probability: number;
  /** The lots that it was decided by, as text; null if it must be decided whatever reached it. */
  decidedBy: string | null;
  decisions: number;
};

export type Expanding = {
  readonly starts: ReadonlyMap<Address, Start>;
  readonly request: FlowRequest;
  /** Dollars of an expected raw amount of the asset. */
  readonly usdOf: (expected: number) => number;
  readonly spent: () => { readonly questions: number; readonly rows: number };
  /** Whether the time for reading is over. */
  readonly isOver: () => boolean;
};

/**
 * Reads wallets best first, by expected amount: amount × probability. Each wallet is read once, and decided again when the flow brings
 * it more.
 */
export const expandFlow = async (
  context: FollowContext,
  { starts, request, usdOf, spent, isOver }: Expanding,
): Promise<ReadonlyMap<Address, Reached>> => {
  const wallets = new Map<Address, Growing>();
  for (const [address, start] of [...starts].sort(([a], [b]) => (a < b ? -1 : 1)))
    wallets.set(address, reached(address, start));

  const whyOver = (): FrontierReason | null => {
    const { questions, rows } = spent();
    if (questions >= request.budget.calls) return 'calls';
    if (isOver()) return 'seconds';
    return rows >= FLOW_ROWS_MAX ? 'size' : null;
  };
  const whyLeft = (wallet: Growing): FrontierReason | null => {
    if (wallet.start !== null) return null;
    if (wallet.hops >= request.maxHops) return 'max_hops';
    return usdOf(expectedOf(wallet)) < request.minUsd ? 'min_usd' : null;
  };
  const isOpen = (wallet: Growing): boolean =>
    wallet.decisions < DECISIONS_PER_WALLET_MAX &&
    !endsAt(wallet) &&
    wallet.left !== 'unread' &&
    !isOnlyThrough(wallet) &&
    wallet.decidedBy !== textOf(lotsOf(wallet));

  for (;;) {
    const unlabelled = [...wallets.values()].filter(({ isLabelled }) => !isLabelled);
    await labelAll(context, unlabelled);
    const opened = [...wallets.values()].filter(isOpen);
    for (const wallet of opened) wallet.left = whyLeft(wallet);
    const next = opened
      .filter(({ left }) => left === null)
      .sort(byExpected)
      .slice(0, FRONTIER_AT_ONCE);
    if (next.length === 0) break;
    const reason = whyOver();
    if (reason !== null) {
      for (const wallet of opened) wallet.left ??= wallet.decided === null ? reason : null;
      break;
    }
    for (const wallet of next) wallet.decidedBy = textOf(lotsOf(wallet));
    const decided = await decideAll(context, next);
    for (const wallet of next) settle(wallet, decided.get(wallet) ?? null);
    reopenRefunded(context, wallets);
    bringOn(wallets, request);
  }
  return new Map([...wallets].filter(([, { start, brought }]) => start !== null || brought.size > 0));
};

const settle = (wallet: Growing, decided: Decided | null): void => {
  if (decided === null) {
    wallet.left = 'unread';
    return;
  }
  wallet.decided = decided;
  wallet.decisions += 1;
};

const reached = (address: Address, start: Start | null): Growing => ({
  ...{ address, start, hops: 0, label: null, decided: null, payments: [], left: null },
  ...{
    brought: new Map(),
    isLabelled: false,
    probability: start === null ? 0 : 1,
    decidedBy: null,
    decisions: 0,
  },
});

/** Without what a contract keeps. */
const lotsOf = ({ brought }: Pick<Reached, 'brought'>): readonly Lot[] =>
  [...brought.values()].flat().filter(({ isKept }) => !isKept);

/** Whether money only passed through it within transactions, of which it kept a part. */
export const isOnlyThrough = (wallet: Pick<Reached, 'start' | 'brought'>): boolean =>
  wallet.start === null && lotsOf(wallet).length === 0;

const expectedOf = (wallet: Growing): number => expectedRaw(lotsOf(wallet));

const byExpected = (a: Growing, b: Growing): number =>
  Number(b.start !== null) - Number(a.start !== null) ||
  expectedOf(b) - expectedOf(a) ||
  (a.address < b.address ? -1 : 1);

/** Money paid to a service belongs to the service. A start is followed even if it is a service. */
export const endsAt = ({ start, label }: Pick<Reached, 'start' | 'label'>): boolean =>
  start === null && label !== null && (isService(label) || passingKind(label) === 'dex');

const labelAll = async (context: FollowContext, wallets: readonly Growing[]): Promise<void> => {
  if (wallets.length === 0) return;
  const addresses = wallets.map(({ address }) => address);
  const labels = await unlessLeftOut(readLabels(context, addresses), null);
  for (const wallet of wallets) {
    wallet.isLabelled = true;
    wallet.label = labels?.get(wallet.address) ?? null;
    // Without labels it may be a service, whose payments are not the flow's.
    if (labels === null && wallet.start === null) wallet.left = 'unread';
  }
};

/**
 * Asks one question for all outflows, one for other receipts, and one for whole transactions. Wallets that cannot be read are left out;
 * at a start that was never decided that is a failure.
 */
const decideAll = async (
  context: FollowContext,
  wallets: readonly Growing[],
): Promise<ReadonlyMap<Growing, Decided>> => {
  const each = async <T, U>(of: ReadonlyMap<Growing, T>, ask: (wallet: Growing, known: T) => Promise<U>) => {
    const asked = [...of].map(async ([wallet, known]) => {
      const told = ask(wallet, known);
      const isNeeded = wallet.start !== null && wallet.decided === null;
      return [wallet, await (isNeeded ? told : unlessLeftOut(told, null))] as const;
    });
    return new Map((await Promise.all(asked)).flatMap(([wallet, told]) => (told ? [[wallet, told]] : [])));
  };
  const contextOf = ({ start }: Growing): FollowContext => start?.context ?? context;
  const seen = await each(
    new Map(wallets.map((wallet) => [wallet, toBrought(context, wallet)])),
    (wallet, brought) => seeLots(contextOf(wallet), brought),
  );
  return each(seen, (wallet, known) => decideWallet(contextOf(wallet), known));
};

const toBrought = ({ direction }: FollowContext, wallet: Growing): Brought => ({
  ...{ wallet: wallet.address, start: wallet.start?.stake ?? null },
  ...{ lots: lotsOf(wallet).toSorted(direction.compare), payers: new Set(wallet.brought.keys()) },
});

/**
 * Passes all known payments on, from the starts and always from the wallet that the money reached most probably. So no payment is
 * likelier than the way to its payer, and what a wallet paid that nothing reaches any more reaches nobody.
 */
const bringOn = (wallets: Map<Address, Growing>, { minProbability }: FlowRequest): void => {
  for (const wallet of wallets.values()) {
    wallet.brought = new Map();
    wallet.payments = [];
    wallet.probability = wallet.start === null ? 0 : 1;
  }
  const waiting = new Set([...wallets.values()].filter(({ start }) => start !== null));
  const done = new Set<Growing>();
  while (waiting.size > 0) {
    const payer = [...waiting].reduce(likelier);
    waiting.delete(payer);
    done.add(payer);
    payer.payments = paidBy(payer);
    for (const [place, [address, payments]] of byPayee(payer, minProbability).entries()) {
      // One that others led to is given all that the flow brought it.
      if (!wallets.has(address) && place >= PAYEES_PER_WALLET_MAX) continue;
      const payee = wallets.get(address) ?? reached(address, null);
      wallets.set(address, payee);
      payee.brought.set(payer.address, payments);
      payee.probability = Math.max(payee.probability, likeliest(payments));
      if (payee.probability > 0 && !done.has(payee)) waiting.add(payee);
    }
  }
  forgetLeast(wallets);
  countHops(wallets);
};

/**
 * Drops wallets above the limit: of those not read yet the ones that are expected to have got least. So crumbs that a thief pays to
 * thousands of wallets do not displace his money.
 */
const forgetLeast = (wallets: Map<Address, Growing>): void => {
  const over = wallets.size - FLOW_WALLETS_MAX;
  if (over <= 0) return;
  const unread = [...wallets.values()].filter(
    ({ start, decisions, left }) => start === null && decisions === 0 && left !== 'unread',
  );
  for (const { address } of unread.sort(byExpected).slice(-over)) wallets.delete(address);
};

const likeliest = (payments: readonly FlowTransfer[]): number =>
  payments.reduce((best, { probability, isKept }) => (isKept ? best : Math.max(best, probability)), 0);

const likelier = (a: Growing, b: Growing): Growing => {
  const more = b.probability - a.probability;
  return more > 0 || (more === 0 && b.address < a.address) ? b : a;
};

/** Its lots may be less likely now than when it was decided for the last time. */
const paidBy = ({ decided, probability }: Growing): readonly FlowPayment[] =>
  (decided?.payments ?? []).map((payment) =>
    payment.probability > probability ? { ...payment, probability } : payment,
  );

/** What a wallet paid to each of its payees, first those that are expected to have got most. */
const byPayee = (
  { payments }: Growing,
  minProbability: number,
): readonly (readonly [Address, readonly FlowTransfer[]])[] => {
  const likely = payments.flatMap((payment) =>
    payment.type === 'transfer' && payment.probability >= minProbability ? [payment] : [],
  );
  return [...Map.groupBy(likely, ({ to }) => to)].sort(
    ([a, one], [b, other]) => expectedRaw(other) - expectedRaw(one) || (a < b ? -1 : 1),
  );
};

/** On the shortest way from a start. */
const countHops = (wallets: ReadonlyMap<Address, Growing>): void => {
  const payees = Map.groupBy(
    [...wallets.values()].flatMap((payee) => [...payee.brought.keys()].map((payer) => ({ payer, payee }))),
    ({ payer }) => payer,
  );
  const queue = [...wallets.values()].filter(({ start }) => start !== null);
  const counted = new Set(queue);
  for (const { address, hops } of queue)
    for (const { payee } of payees.get(address) ?? []) {
      if (counted.has(payee)) continue;
      counted.add(payee);
      payee.hops = hops + 1;
      queue.push(payee);
    }
};

/** Reopens wallets whose payments turned out to be partly refunded. */
const reopenRefunded = (
  { refunds: { touched } }: FollowContext,
  wallets: ReadonlyMap<Address, Growing>,
): void => {
  for (const address of touched) {
    const wallet = wallets.get(address);
    if (wallet !== undefined) wallet.decidedBy = null;
  }
  touched.clear();
};

/** Identifies lots, with probabilities to two decimals: smaller changes decide nothing. */
const textOf = (lots: readonly Lot[]): string =>
  lots
    .map(({ blockNumber, txIndex, amountRaw, probability }) =>
      [blockNumber, txIndex, amountRaw, probability.toFixed(2)].join(' '),
    )
    .sort()
    .join();

const expectedRaw = (payments: readonly Pick<Lot, 'amountRaw' | 'probability'>[]): number =>
  payments.reduce((sum, { amountRaw, probability }) => sum + Number(amountRaw) * probability, 0);
