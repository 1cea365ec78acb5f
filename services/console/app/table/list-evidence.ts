import type { Picture } from '../flow/picture.ts';

/** One transaction that carried money from one wallet to another. */
export type EvidenceRow = {
  readonly chain: string;
  readonly timeUnixSeconds: number;
  readonly hash: string;
  readonly from: string;
  readonly to: string;
  readonly toLabel: { readonly name: string; readonly kind: string } | null;
  readonly symbol: string;
  /** What the transaction moved, in whole units, and exact. */
  readonly amount: number;
  readonly amountRaw: string;
  /** Worth of what it moved; null where the price is not known. */
  readonly usd: number | null;
  /** Chance that its payment is the followed money, 0 to 1. */
  readonly probability: number;
  /** Its page at a public explorer. */
  readonly explorerUrl: string;
  /** Keys of the cards at both ends. */
  readonly fromCard: string;
  readonly toCard: string;
};

/** Every transaction that the picture names, oldest first. */
export const listEvidence = ({ cards, links }: Picture): readonly EvidenceRow[] =>
  links
    .flatMap((link) => {
      const from = cards.get(link.from);
      const to = cards.get(link.to);
      if (from === undefined || to === undefined) return [];
      return link.transactions.map((transaction) => ({
        // What a bridge pays out is on the far chain.
        chain: to.chain,
        timeUnixSeconds: transaction.time,
        hash: transaction.signature,
        from: from.address,
        to: to.address,
        toLabel: to.label,
        symbol: link.symbol,
        amount: transaction.amount,
        amountRaw: transaction.amount_raw,
        usd: link.price === null ? null : link.price * transaction.amount,
        probability: link.probability,
        explorerUrl: link.explorer.replace('{hash}', encodeURIComponent(transaction.signature)),
        fromCard: link.from,
        toCard: link.to,
      }));
    })
    .sort((a, b) => a.timeUnixSeconds - b.timeUnixSeconds);
