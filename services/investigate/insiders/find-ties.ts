import type { Address } from '../model/address.ts';
import type { Asset } from '../model/asset.ts';
import type { FirstFunding } from '../model/funder-reader.ts';
import { comparePlaces, type TransactionPosition } from '../model/transfer-reader.ts';
import type { Buy, TokenTransaction } from './find-launch.ts';
import type { Candidates } from './gather-candidates.ts';
import type { InsiderKind } from './insiders-report.ts';
import type { Funding } from './read-funding.ts';
import { FUNDED_TOGETHER_SECONDS, SNIPER_SECONDS, SNIPER_SLOTS } from './rules.ts';

/** A reason why a wallet is an insider. The hashes of its transactions are added later. */
export type Tie = {
  readonly wallet: Address;
  readonly kind: InsiderKind;
  readonly with: Address | null;
  readonly detail: string;
  readonly positions: readonly TransactionPosition[];
};

type TokenBirth = {
  readonly launch: TokenTransaction;
  /** The transaction that created the token. */
  readonly made: TransactionPosition;
  readonly token: Asset;
};

/**
 * Finds ties among the early holders, and from them to the creator. Launches are judged by common funders and
 * bundles (MemeTrans, arXiv 2602.13480). A funder of many wallets ties nobody (Victor 2020 on exchanges'
 * customers).
 */
export const findTies = (
  candidates: Candidates,
  funding: Funding,
  { launch, made, token }: TokenBirth,
): Tie[] => [
  ...creatorTies(candidates, made),
  ...fundedByCreator(candidates, funding),
  ...fundersOfCreator(candidates, funding),
  ...sharedFunders(candidates, funding),
  ...bundles(candidates, funding),
  ...snipers(candidates, launch),
  ...gifts(candidates, token),
];

const creatorTies = ({ creator }: Candidates, made: TransactionPosition): Tie[] => [
  {
    wallet: creator,
    kind: 'creator',
    with: null,
    positions: [made],
    detail: 'It made the token.',
  },
];

const firstBuyOf = ({ buys }: Candidates, wallet: Address): TransactionPosition | null =>
  buys.find(({ buyer }) => buyer === wallet)?.at ?? null;

/** Where blocks before it are missing, the first payment that is indexed need not be a wallet's first. */
const nameFirst = ({ isFirst }: Funding, funding: FirstFunding): string =>
  isFirst(funding) ? 'its first coin' : 'the first of its coin that is indexed';

const fundedByCreator = (candidates: Candidates, funded: Funding): Tie[] => {
  const { fundings, payments } = funded;
  const { creator, wallets } = candidates;
  return wallets.flatMap((wallet): Tie[] => {
    const funding = fundings.get(wallet);
    const bought = firstBuyOf(candidates, wallet);
    const isFirst = funding?.funder === creator;
    const paid = payments.filter(({ to }) => to === wallet);
    const before = bought === null ? [] : paid.filter((payment) => comparePlaces(payment, bought) <= 0);
    const coin = before.filter(({ canonicalAsset }) => canonicalAsset === 'native');
    if (wallet === creator || (!isFirst && coin.length === 0)) return [];
    return [
      {
        wallet,
        kind: 'creator_funded',
        with: creator,
        detail: isFirst
          ? `The creator sent it ${nameFirst(funded, funding)}.`
          : 'The creator sent it coin before it bought the token.',
        positions: isFirst ? [funding] : coin.slice(-1),
      },
    ];
  });
};

const fundersOfCreator = ({ creator }: Candidates, funded: Funding): Tie[] => {
  const funding = funded.fundings.get(creator);
  if (funding === undefined || !funded.ties(funding.funder)) return [];
  return [
    {
      wallet: funding.funder,
      kind: 'funded_creator',
      with: creator,
      positions: [funding],
      detail: `It sent the creator ${nameFirst(funded, funding)}.`,
    },
  ];
};

/**
 * Groups candidates by the funder that sent their first coin. A group needs several members funded within
 * days, of which two had the token early or one is the creator. Others who only hold a large amount now may
 * just be friends.
 */
export const groupByFunder = (
  candidates: Candidates,
  { fundings, ties }: Funding,
): ReadonlyMap<Address, readonly Address[]> => {
  const { wallets, creator } = candidates;
  const early = earlyOf(candidates);
  const groups = Map.groupBy(wallets, (wallet) => fundings.get(wallet)?.funder ?? null);
  return new Map(
    [...groups].flatMap(([funder, all]) => {
      if (funder === null || funder === creator || !ties(funder)) return [];
      const together = all.filter((wallet) => hasNeighbour(wallet, all, fundings));
      const first = together.filter((wallet) => wallet === creator || early.has(wallet));
      // A wallet that only holds a large amount may join a group, but cannot form one with a single early
      // buyer.
      const members = first.length > 1 || first.includes(creator) ? together : [];
      return members.length > 0 ? [[funder, members] as const] : [];
    }),
  );
};

const earlyOf = ({ buys, gifts: given }: Candidates): ReadonlySet<Address> =>
  new Set([...buys.map(({ buyer }) => buyer), ...given.map(({ to }) => to)]);

const hasNeighbour = (wallet: Address, all: readonly Address[], fundings: Funding['fundings']): boolean => {
  const own = fundings.get(wallet)?.blockTime ?? 0;
  return all.some((other) => {
    const apart = Math.abs((fundings.get(other)?.blockTime ?? 0) - own);
    return other !== wallet && apart <= FUNDED_TOGETHER_SECONDS;
  });
};

const sharedFunders = (candidates: Candidates, funding: Funding): Tie[] =>
  [...groupByFunder(candidates, funding)].flatMap(([funder, members]) =>
    members
      .filter((wallet) => wallet !== candidates.creator)
      .flatMap((wallet): Tie[] => {
        const own = funding.fundings.get(wallet);
        if (own === undefined) return [];
        const others = members.length - 1;
        const beside = members.includes(candidates.creator)
          ? 'the creator'
          : `${others} more of these wallets`;
        const detail = `A wallet that also funded ${beside} sent it ${nameFirst(funding, own)}.`;
        return [{ wallet, kind: 'shared_funder', with: funder, positions: [own], detail }];
      }),
  );

/** Several buyers in one transaction, or in one block when the same wallet paid for them or funded them. */
const bundles = (candidates: Candidates, { fundings, ties }: Funding): Tie[] => {
  const isHand = (address: Address | null): address is Address =>
    address !== null && (address === candidates.creator || ties(address));
  const payerOf = ({ buyer, payer }: Buy): Address | null =>
    [payer, fundings.get(buyer)?.funder ?? null].find(isHand) ?? null;
  const bought = candidates.buys.filter(({ buyer }) => buyer !== candidates.creator);
  const ofOne = Map.groupBy(bought, ({ at }) => at.hash);
  const ofBlock = Map.groupBy(bought, (buy) => {
    const payer = payerOf(buy);
    return payer && `${buy.at.blockNumber} ${payer}`;
  });
  const told = [...ofOne.values(), ...[...ofBlock].flatMap(([key, buys]) => (key === null ? [] : [buys]))];
  return told.flatMap((buys) => {
    const buyers = new Set(buys.map(({ buyer }) => buyer));
    if (buyers.size < 2) return [];
    const isOne = new Set(buys.map(({ at }) => at.hash)).size === 1;
    const others = buyers.size === 2 ? 'another wallet' : `${buyers.size - 1} other wallets`;
    return buys.map(
      (buy): Tie => ({
        wallet: buy.buyer,
        kind: 'bundle',
        with: payerOf(buy),
        positions: [buy.at],
        detail: isOne
          ? `It bought in the same transaction as ${others}.`
          : `It bought in the same block as ${others}, and one wallet paid for or funded ${buyers.size === 2 ? 'both' : 'all'}.`,
      }),
    );
  });
};

const snipers = ({ buys, creator }: Candidates, launch: TokenTransaction): Tie[] =>
  buys
    .filter(({ buyer, at }) => {
      const slots = at.blockNumber - launch.blockNumber;
      const isQuick = slots <= SNIPER_SLOTS && at.blockTime - launch.blockTime <= SNIPER_SECONDS;
      return buyer !== creator && isQuick;
    })
    .map(({ buyer, at }) => ({
      wallet: buyer,
      kind: 'sniper',
      with: null,
      positions: [at],
      detail: describeDelay(at.blockNumber - launch.blockNumber),
    }));

const describeDelay = (blocks: number): string => {
  if (blocks === 0) return 'It bought in the block of the launch.';
  return `It bought ${blocks} ${blocks === 1 ? 'block' : 'blocks'} after the launch.`;
};

const gifts = ({ gifts: given }: Candidates, token: Asset): Tie[] =>
  given.map(({ to, from, at }) => ({
    wallet: to,
    kind: 'launch_recipient',
    with: from,
    positions: [at],
    detail: from === null ? `${token} was issued to it.` : 'The creator gave it the token without payment.',
  }));
