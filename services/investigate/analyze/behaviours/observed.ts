import type { Address } from '../../model/address.ts';
import type { Chain } from '../../model/chain.ts';
import type { Label } from '../../model/label.ts';
import type { Entry, WalletSummary } from '../../model/profile-reader.ts';
import type { Service } from '../../model/trace-reader.ts';
import type { TransactionPosition, TransactionRow } from '../../model/transfer-reader.ts';
import type { Lookalike, Transfer } from '../profile.ts';
import { EXAMPLES_MAX } from '../rules.ts';
import type { Behaviour, BehaviourName, Severity } from './behaviour.ts';

/** The input of all behaviour rules. */
export type Observed = {
  readonly chain: Chain;
  readonly wallet: Address;
  readonly label: Label | null;
  readonly summary: WalletSummary;
  /** Newest first, of every kind. */
  readonly entries: readonly Entry[];
  /** Oldest first, without transfers that belong to a swap. */
  readonly payments: readonly Transfer[];
  /** The transfers that belong to swaps. */
  readonly trades: readonly Transfer[];
  readonly labels: ReadonlyMap<Address, Label>;
  readonly services: ReadonlyMap<Address, Service>;
  readonly lookalikes: readonly Lookalike[];
  /** All transfers of a sample of the transactions that paid the wallet. */
  readonly siblings: readonly TransactionRow[];
  /** Time of the newest indexed block. */
  readonly headUnixSeconds: number;
  /** Whether the rows are the wallet's whole history. */
  readonly isComplete: boolean;
  /** For how many seconds before a transaction nothing that the wallet did is missing. */
  readonly secondsReadBefore: (at: TransactionPosition) => number;
  /** Whether nothing that the wallet did since that block is missing. */
  readonly isReadSince: (at: TransactionPosition) => boolean;
  /** Where the rows are only a part: which, as a sentence. Otherwise null. */
  readonly seenIn: string | null;
};

/** Detects one behaviour; null when the wallet does not show it. */
export type FindBehaviour = (observed: Observed) => Behaviour | null;

/** Builds a behaviour. Only the first few `examples` are reported. */
export const behave = (
  name: BehaviourName,
  { confidence, severity, detail }: { confidence: number; severity: Severity; detail: string },
  examples: readonly TransactionPosition[],
): Behaviour => ({
  name,
  confidence,
  severity,
  detail,
  examples: examples
    .slice(0, EXAMPLES_MAX)
    .map(({ blockTime, blockNumber, txIndex }) => ({ blockTime, blockNumber, txIndex })),
});

export const isIn = ({ direction }: Transfer): boolean => direction === 'in';
export const isOut = ({ direction }: Transfer): boolean => direction === 'out';

export const countParties = (transfers: readonly Transfer[]): number =>
  new Set(transfers.map(({ counterparty }) => counterparty)).size;

/** One transfer for each counterparty. */
export const firstOfEach = (transfers: readonly Transfer[]): readonly Transfer[] => [
  ...new Map(transfers.toReversed().map((each) => [each.counterparty, each])).values(),
];

/** A payment below one dollar is gas money, a test or poisoning. */
export const USD_IN_EARNEST = 1;
export const isInEarnest = ({ usd }: Transfer): boolean => usd === null || usd >= USD_IN_EARNEST;
