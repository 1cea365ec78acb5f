import type { Address } from '../model/address.ts';
import { isListed } from '../model/asset.ts';
import type { Holding } from '../model/case-reader.ts';
import type { Label } from '../model/label.ts';
import { isPassing } from '../model/label.ts';
import { answersByKey } from '../model/query.ts';
import { comparePlaces } from '../model/transfer-reader.ts';
import { findMethod } from './find-method.ts';
import { findPartners, type Partner } from './find-partners.ts';
import { POPULAR_FUNDER } from './rules.ts';
import type { VictimsReads } from './victims-reader.ts';
import type { VictimsRequest } from './victims-report.ts';
import type { Taking } from './weigh-transaction.ts';

/** What is known about every party. */
export type Parties = {
  readonly labels: ReadonlyMap<Address, Label>;
  readonly partners: ReadonlyMap<Address, Partner>;
  /** Wallets that the subject itself funded: its coin was the first that ever reached them. */
  readonly own: ReadonlySet<Address>;
  /** Wallets that sent many others their first coin. */
  readonly popular: ReadonlySet<Address>;
  /** For payers of a look-alike: the address that they meant. */
  readonly imitated: ReadonlyMap<Address, Address>;
  /** For unlisted EVM tokens: whether the payer itself ever used the token. */
  readonly isProven: (holding: Holding) => boolean;
};

export const readParties = async (
  request: VictimsRequest,
  takings: readonly Taking[],
  reads: VictimsReads,
): Promise<Parties> => {
  const { cases, funders, reader } = reads;
  const { address: subject } = request;
  const chain = request.chain.name;
  const payers = [...new Set(takings.map(({ payer }) => payer))];
  const others = takings.flatMap((taking) => taking.others.map(({ address }) => address));
  const addresses = [...new Set([subject, ...payers, ...others])];
  const doubtful = takings
    .filter((taking) => isDoubtful(request, taking))
    .map(({ payer, canonicalAsset }) => ({ wallet: payer, canonicalAsset }));
  const [labels, fundings, counts, imitated, handled] = await Promise.all([
    answersByKey(reader.labels, { chain }, addresses),
    answersByKey(funders.firstFunders, { chain }, payers),
    answersByKey(funders.fundedCounts, { chain, atMost: POPULAR_FUNDER }, payers),
    answersByKey(cases.imitated, { chain, lookalike: subject }, payers),
    cases.handled({ chain }, doubtful),
  ]);
  const begun = payers.filter((payer) => fundings.get(payer)?.funder === subject);
  const receipts = await answersByKey(cases.firstReceipts, { chain }, begun);
  const isFirst = (wallet: Address): boolean => {
    const [funding, receipt] = [fundings.get(wallet), receipts.get(wallet)];
    return funding !== undefined && (receipt === undefined || comparePlaces(funding, receipt) <= 0);
  };
  const plausible = takings.filter(
    (taking) =>
      taking.gains.length === 0 &&
      findMethod(request.chain, taking) !== 'contract' &&
      !isServiceLabel(labels.get(taking.payer)),
  );
  const proven = new Set(doubtful.filter((_, at) => handled[at]).map(holdingKey));
  return {
    labels,
    imitated,
    partners: findPartners(plausible, labels),
    own: new Set(begun.filter(isFirst)),
    popular: new Set(payers.filter((payer) => (counts.get(payer) ?? 0) >= POPULAR_FUNDER)),
    isProven: (holding) => proven.has(holdingKey(holding)),
  };
};

export const isServiceLabel = (label: Label | undefined): boolean =>
  label !== undefined && (isPassing(label.kind) || label.passing !== undefined);

/**
 * Any contract may log a fake transfer out of a wallet. A log counts only when the wallet sent the
 * transaction or has used the token itself.
 */
export const isDoubtful = ({ chain }: VictimsRequest, { canonicalAsset, payer, sender }: Taking): boolean =>
  chain.family === 'evm' && sender !== payer && !isListed(chain, canonicalAsset);

const holdingKey = ({ wallet, canonicalAsset }: Holding): string => `${wallet} ${canonicalAsset}`;
