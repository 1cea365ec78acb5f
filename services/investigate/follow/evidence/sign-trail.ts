import { toWholeUnits } from '../../model/amount.ts';
import { ReadFailedError, type TransactionPosition, transactionKey } from '../../model/transfer-reader.ts';
import type { BudgetedRead } from '../follow-reader.ts';
import { noteCuts, noteUnread } from '../note-cuts.ts';
import { endAtSale } from '../sales/find-sale.ts';
import type { Branch, FoundBranch, FoundTrail, Hop, Trail, TrailEnd } from '../trail.ts';
import type { EvidenceReader } from './begin-evidence.ts';
import { pickCarriers } from './pick-carriers.ts';
import type { Evidence } from './read-evidence.ts';

/**
 * Names the transactions of a trail by their hashes, says what they were worth, and ends it where one of them sold the money.
 * Throws `ReadFailedError` where hashes cannot be read, `BudgetSpentError` where it took too long.
 */
export const signTrail = async (
  found: FoundTrail,
  evidence: EvidenceReader,
  read: BudgetedRead,
): Promise<Trail> => {
  const come = await evidence.finish(found, read);
  const ended = await endAtSale(found, come.carriers.rows, read);
  // The hop that was a sale is none any more, but was chosen all the same.
  const chosen = found.hops.slice(0, ended.hops.length + 1);
  const told = { request: found, asset: found.asset };
  const cuts = chosen.flatMap((hop) => hop.cuts);
  const unread = chosen.filter((hop) =>
    pickCarriers(hop).some((at) => come.carriers.unread.has(transactionKey(at))),
  );
  const end = noteUnread(noteCuts(ended.end, cuts, told), unread, told);
  return withEvidence({ ...ended, end, isWhole: ended.isWhole && unread.length === 0 }, come);
};

const withEvidence = (found: FoundTrail, { hashes, prices }: Evidence): Trail => {
  const sign = (position: TransactionPosition): string =>
    hashes.get(transactionKey(position)) ?? refuseUnknown();
  const worth = ({ signature, amountRaw }: Pick<FoundBranch, 'signature' | 'amountRaw'>) => {
    const price = prices.get(signature.blockTime) ?? null;
    const usd = price && price.usd * toWholeUnits(amountRaw, found.asset.decimals);
    return { usd, usdSource: price?.source ?? null };
  };
  const showBranch = (branch: FoundBranch): Branch => ({
    ...branch,
    signature: sign(branch.signature),
    ...worth(branch),
  });
  const hops = found.hops.map(
    (hop): Hop => ({
      ...hop,
      signature: sign(hop.signature),
      ...worth(hop),
      others: hop.others.map(showBranch),
    }),
  );
  const showEnd = (): TrailEnd => {
    const { end } = found;
    switch (end.reason) {
      case 'split':
        return { ...end, branches: end.branches.map(showBranch) };
      case 'at_rest':
      case 'no_data':
        return { ...end, others: (end.others ?? []).map(showBranch) };
      case 'dex_swap':
        return { ...end, signature: sign(end.signature), others: (end.others ?? []).map(showBranch) };
      default:
        return end;
    }
  };
  return { ...found, hops, end: showEnd() };
};

const refuseUnknown = (): never => {
  // Its tables are being rebuilt or its block was just retracted: asked again, the trail is another.
  throw new ReadFailedError('unavailable');
};
