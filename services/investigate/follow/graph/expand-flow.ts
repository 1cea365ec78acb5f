import type { Address } from '../../model/address.ts';
import { eachInTurns, giveWay } from '../../model/give-way.ts';
import { createHeap, firstOf } from '../../model/heap.ts';
import { isTill, type Label } from '../../model/label.ts';
import { unlessLeftOut } from '../../session/left-out.ts';
import { findPools } from '../find-pools.ts';
import { type FollowContext, readLabels } from '../follow-context.ts';
import type { Refunded } from '../inner/refunds.ts';
import type { Stake } from '../payments/inflow.ts';
import {
  DECISIONS_PER_WALLET_MAX,
  FLOW_ROWS_MAX,
  FLOW_WALLETS_MAX,
  FRONTIER_AT_ONCE,
  PAYEES_PER_WALLET_MAX,
  WORK_WEIGHT,
} from '../rules.ts';
import { type Brought, type Decided, decideWallet, type Lot, seeLots } from './decide-wallet.ts';
import type { FlowPayment, FlowRequest, FlowTransfer, FrontierReason } from './flow-graph.ts';

export type Start = { readonly context: FollowContext; readonly stake: Stake };

/** A wallet that the flow reached. */
export type Reached = {
  readonly address: Address;
  readonly start: Start | null;
  readonly label: Label | null;
  /** A contract that many others pay. */
  readonly isPool: boolean;
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
  /** The lots of `brought`, and their text where it was needed. */
  told: { readonly lots: readonly Lot[]; readonly expected: number; text: string | null };
  passing: Passing | null;
};

/** What a wallet pays on, as it was told at this probability. */
type Passing = {
  readonly decided: Decided | null;
  readonly probability: number;
  readonly payments: readonly FlowPayment[];
  readonly payees: readonly Payee[];
};
type Payee = {
  readonly address: Address;
  readonly payments: readonly FlowTransfer[];
  readonly probability: number;
};

export type Expanding = {
  readonly starts: ReadonlyMap<Address, Start>;
  readonly request: FlowRequest;
  /** Dollars of an expected raw amount of the asset. */
  readonly usdOf: (expected: number) => number;
  readonly spent: () => { readonly questions: number; readonly rows: number };
  /** What is left of the time for reading. */
  readonly leftMs: () => number;
};

/**
 * Reads wallets best first, by expected amount: amount × probability. Each wallet is read once, and decided again when the flow brings
 * it more.
 */
export const expandFlow = async (
  context: FollowContext,
  { starts, request, usdOf, spent, leftMs }: Expanding,
): Promise<ReadonlyMap<Address, Reached>> => {
  const wallets = new Map<Address, Growing>();
  for (const [address, start] of [...starts].sort(([a], [b]) => (a < b ? -1 : 1)))
    wallets.set(address, reached(address, start));

  let workedMs = 0;
  const whyOver = (): FrontierReason | null => {
    const { questions, rows } = spent();
    if (questions >= request.budget.calls) return 'calls';
    if (leftMs() <= workedMs * (WORK_WEIGHT - 1)) return 'seconds';
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
    (wallet.decidedBy === null || wallet.decidedBy !== textOf(wallet));

  for (;;) {
    const unlabelled = [...wallets.values()].filter(({ isLabelled }) => !isLabelled);
    await labelAll(context, unlabelled);
    await markPools(context, unlabelled);
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
    await eachInTurns(next, (wallet) => {
      wallet.decidedBy = textOf(wallet);
    });
    const decided = await decideAll(context, next);
    for (const wallet of next) settle(wallet, decided.get(wallet) ?? null);
    reopenRefunded(wallets, [...decided.values()]);
    const beganMs = performance.now();
    await bringOn(wallets, request);
    workedMs += performance.now() - beganMs;
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
  ...{ address, start, hops: 0, label: null, isPool: false, decided: null, payments: [], left: null },
  ...{
    brought: new Map(),
    isLabelled: false,
    probability: start === null ? 0 : 1,
    decidedBy: null,
    decisions: 0,
    told: NOTHING,
    passing: null,
  },
});

const NOTHING = { lots: [], expected: 0, text: '' };

/** Without what a contract keeps. */
const lotsOf = ({ brought }: Pick<Reached, 'brought'>): readonly Lot[] =>
  [...brought.values()].flat().filter(({ isKept }) => !isKept);

/** Whether money only passed through it within transactions, of which it kept a part. */
export const isOnlyThrough = (wallet: Pick<Reached, 'start' | 'brought'>): boolean =>
  wallet.start === null && wallet.brought.values().every((of) => of.every(({ isKept }) => isKept));

const expectedOf = ({ told }: Growing): number => told.expected;

const byExpected = (a: Growing, b: Growing): number =>
  Number(b.start !== null) - Number(a.start !== null) ||
  expectedOf(b) - expectedOf(a) ||
  (a.address < b.address ? -1 : 1);

/** Money paid to a service belongs to the service, and in a pool it cannot be told apart. A start is followed even so. */
export const endsAt = ({ start, label, isPool }: Pick<Reached, 'start' | 'label' | 'isPool'>): boolean =>
  start === null && (isPool || isTill(label));

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

const markPools = async (context: FollowContext, wallets: readonly Growing[]): Promise<void> => {
  const asked = wallets.filter(({ start, left }) => start === null && left === null);
  const recipients = asked.map((wallet) => ({ ...wallet, lots: lotsOf(wallet) }));
  const pools = await unlessLeftOut(findPools(context, recipients), null);
  for (const wallet of asked) {
    wallet.isPool = pools?.has(wallet.address) ?? false;
    // Else payments of strangers may count as the flow's.
    if (pools === null) wallet.left = 'unread';
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
  ...{ lots: wallet.told.lots.toSorted(direction.compare), payers: new Set(wallet.brought.keys()) },
});

/**
 * Passes all known payments on, from the starts and always from the wallet that the money reached most probably. So no payment is
 * likelier than the way to its payer, and what a wallet paid that nothing reaches any more reaches nobody.
 */
const bringOn = async (wallets: Map<Address, Growing>, { minProbability }: FlowRequest): Promise<void> => {
  const before = new Map([...wallets.values()].map((wallet) => [wallet, wallet.brought]));
  const waiting = createHeap<Waiting>(
    (a, b) => b.probability - a.probability || (a.address < b.address ? -1 : 1),
  );
  for (const wallet of wallets.values()) {
    wallet.brought = new Map();
    wallet.payments = [];
    wallet.probability = wallet.start === null ? 0 : 1;
    if (wallet.start !== null) waiting.push(wallet);
  }
  const done = new Set<Address>();
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    // It waits once for each payment that made it likelier.
    if (done.has(next.address)) continue;
    done.add(next.address);
    const payer = wallets.get(next.address);
    if (payer === undefined) continue;
    payer.passing = passingOf(payer, minProbability);
    payer.payments = payer.passing.payments;
    for (const payee of passOn(wallets, payer, payer.passing.payees))
      if (!done.has(payee.address)) waiting.push(payee);
    await giveWay();
  }
  await eachInTurns(wallets.values(), (wallet) => {
    if (!isSame(before.get(wallet), wallet.brought)) wallet.told = tell(wallet);
  });
  await forgetLeast(wallets);
  await countHops(wallets);
};

type Waiting = Pick<Growing, 'address' | 'probability'>;

/** Returns who became likelier by that and pays on. */
const passOn = (
  wallets: Map<Address, Growing>,
  payer: Growing,
  payees: readonly Payee[],
): readonly Waiting[] =>
  payees.flatMap(({ address, payments, probability }, place) => {
    // One that others led to is given all that the flow brought it.
    if (!wallets.has(address) && place >= PAYEES_PER_WALLET_MAX) return [];
    const payee = wallets.get(address) ?? reached(address, null);
    wallets.set(address, payee);
    payee.brought.set(payer.address, payments);
    if (probability <= payee.probability) return [];
    payee.probability = probability;
    return payee.decided === null ? [] : [{ address, probability }];
  });

const isSame = (before: Growing['brought'] | undefined, now: Growing['brought']): boolean => {
  if (before?.size !== now.size) return false;
  const others = before.entries();
  return now.entries().every(([payer, payments]) => {
    const [other, same] = others.next().value ?? [];
    return other === payer && same === payments;
  });
};

const tell = (wallet: Growing): Growing['told'] => {
  const lots = lotsOf(wallet);
  return { lots, expected: expectedRaw(lots), text: null };
};

/**
 * Drops wallets above the limit: of those not read yet the ones that are expected to have got least. So crumbs that a thief pays to
 * thousands of wallets do not displace his money.
 */
const forgetLeast = async (wallets: Map<Address, Growing>): Promise<void> => {
  const over = wallets.size - FLOW_WALLETS_MAX;
  if (over <= 0) return;
  const unread = [...wallets.values()].filter(
    ({ start, decisions, left }) => start === null && decisions === 0 && left !== 'unread',
  );
  const kept = new Set(await firstOf(unread, Math.max(0, unread.length - over), byExpected));
  for (const wallet of unread) if (!kept.has(wallet)) wallets.delete(wallet.address);
};

const likeliest = (payments: readonly FlowTransfer[]): number =>
  payments.reduce((best, { probability, isKept }) => (isKept ? best : Math.max(best, probability)), 0);

/** Its lots may be less likely now than when it was decided for the last time. */
const paidBy = ({ decided, probability }: Growing): readonly FlowPayment[] =>
  (decided?.payments ?? []).map((payment) =>
    payment.probability > probability ? { ...payment, probability } : payment,
  );

const passingOf = (payer: Growing, minProbability: number): Passing => {
  const { decided, probability, passing } = payer;
  if (passing !== null && passing.decided === decided && passing.probability === probability) return passing;
  const payments = paidBy(payer);
  return { decided, probability, payments, payees: payeesOf(payments, minProbability) };
};

/** What was paid to each payee, first those that are expected to have got most. */
const payeesOf = (payments: readonly FlowPayment[], minProbability: number): readonly Payee[] => {
  const likely = payments.flatMap((payment) =>
    payment.type === 'transfer' && payment.probability >= minProbability ? [payment] : [],
  );
  return [...Map.groupBy(likely, ({ to }) => to)]
    .map(([address, of]) => ({
      address,
      payments: of,
      probability: likeliest(of),
      expected: expectedRaw(of),
    }))
    .sort((a, b) => b.expected - a.expected || (a.address < b.address ? -1 : 1));
};

/** On the shortest way from a start. */
const countHops = async (wallets: ReadonlyMap<Address, Growing>): Promise<void> => {
  const payees = new Map<Address, Growing[]>();
  await eachInTurns(wallets.values(), (payee) => {
    for (const payer of payee.brought.keys()) {
      const of = payees.get(payer);
      if (of === undefined) payees.set(payer, [payee]);
      else of.push(payee);
    }
  });
  const queue = [...wallets.values()].filter(({ start }) => start !== null);
  const counted = new Set(queue);
  await eachInTurns(queue, ({ address, hops }) => {
    for (const payee of payees.get(address) ?? []) {
      if (counted.has(payee)) continue;
      counted.add(payee);
      payee.hops = hops + 1;
      queue.push(payee);
    }
  });
};

/** Reopens wallets whose payments turned out to be partly refunded. */
const reopenRefunded = (wallets: ReadonlyMap<Address, Growing>, decided: readonly Refunded[]): void => {
  for (const address of new Set(decided.flatMap(({ refunded }) => [...refunded]))) {
    const wallet = wallets.get(address);
    if (wallet !== undefined) wallet.decidedBy = null;
  }
};

/** Identifies lots, with probabilities to two decimals: smaller changes decide nothing. */
const textOf = ({ told }: Growing): string => {
  told.text ??= told.lots
    .map(({ blockNumber, txIndex, amountRaw, probability }) =>
      [blockNumber, txIndex, amountRaw, probability.toFixed(2)].join(' '),
    )
    .sort()
    .join();
  return told.text;
};

const expectedRaw = (payments: readonly Pick<Lot, 'amountRaw' | 'probability'>[]): number =>
  payments.reduce((sum, { amountRaw, probability }) => sum + Number(amountRaw) * probability, 0);
