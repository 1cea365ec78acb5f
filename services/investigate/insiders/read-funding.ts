import type { Address } from '../model/address.ts';
import type { Payment } from '../model/case-reader.ts';
import type { FirstFunding } from '../model/funder-reader.ts';
import { type Label, passingKind } from '../model/label.ts';
import { answersByKey } from '../model/query.ts';
import { comparePlaces } from '../model/transfer-reader.ts';
import type { Candidates } from './gather-candidates.ts';
import type { InsidersReads } from './insiders-reader.ts';
import type { InsidersRequest } from './insiders-report.ts';
import { PAYMENTS_MAX, POPULAR_FUNDER } from './rules.ts';

/** Payments between wallets before the launch. */
export type Funding = {
  readonly labels: ReadonlyMap<Address, Label>;
  readonly fundings: ReadonlyMap<Address, FirstFunding>;
  /** Whether all blocks before it are indexed. Otherwise it may not be the wallet's first one. */
  readonly isFirst: (funding: FirstFunding) => boolean;
  /** Whether blocks are indexed from the chain's first one on. Otherwise a funder may have funded more. */
  readonly isAllRead: boolean;
  /** Payments from the creator to the candidates. */
  readonly payments: readonly Payment[];
  /** Whether a common funder is evidence: it funds few wallets and is no service. */
  readonly ties: (funder: Address) => boolean;
};

/** Two rounds of queries: the candidates' labels and funders, then the labels and reach of the funders. */
export const readFunding = async (
  request: InsidersRequest,
  candidates: Candidates,
  { funders, cases, reader }: InsidersReads,
): Promise<Omit<Funding, 'isFirst' | 'isAllRead'>> => {
  const chain = request.chain.name;
  const { creator, wallets } = candidates;
  const [known, paid] = await Promise.all([
    answersByKey(funders.firstFunders, { chain }, wallets),
    cases.payments({ chain, wallet: creator, limit: PAYMENTS_MAX }, wallets),
  ]);
  const fundings = new Map([...known].filter(([wallet, funding]) => isOfBefore(wallet, funding, candidates)));
  const payers = candidates.buys.flatMap(({ payer }) => payer ?? []);
  const givers = [...new Set([...[...fundings.values()].map(({ funder }) => funder), ...payers])];
  const [labels, counts] = await Promise.all([
    answersByKey(reader.labels, { chain }, [...new Set([...wallets, ...givers])]),
    answersByKey(funders.fundedCounts, { chain, atMost: POPULAR_FUNDER }, givers),
  ]);
  const isService = (address: Address): boolean => {
    const label = labels.get(address);
    return label !== undefined && passingKind(label) !== null;
  };
  return {
    labels,
    fundings,
    payments: paid.flat(),
    ties: (funder) => !isService(funder) && (counts.get(funder) ?? 0) < POPULAR_FUNDER,
  };
};

/**
 * A wallet that sent its own purchase already had coin by then. Coin that came later, mostly from a sale, was
 * not its first.
 */
const isOfBefore = (wallet: Address, funding: FirstFunding, { buys }: Candidates): boolean => {
  const bought = buys.find(({ buyer, at }) => buyer === wallet && at.sender === wallet);
  return bought === undefined || comparePlaces(funding, bought.at) <= 0;
};
