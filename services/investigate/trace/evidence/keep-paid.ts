import type { Address } from '../../model/address.ts';
import type { AssetFamily } from '../../model/asset.ts';
import type { Chain } from '../../model/chain.ts';
import {
  type TransactionPosition,
  type TransactionRow,
  transactionKey,
} from '../../model/transfer-reader.ts';
import { type Ask, askInChunks } from '../ask.ts';
import { isDust } from '../dust.ts';
import type { FoundEvidence } from '../suspects.ts';

/** The transactions of ties are small. */
const ROWS_PER_QUESTION = 20_000;

export type Tie = readonly [Address, FoundEvidence];

export type Payment = {
  readonly payer: Address;
  readonly payee: Address;
  readonly at: TransactionPosition;
};

/** Evidence that holds where each of these payments was one in earnest, and the payer's own: they are its proofs. */
export type PaidTie = {
  readonly wallet: Address;
  readonly evidence: Omit<FoundEvidence, 'proofs'>;
  readonly payments: readonly Payment[];
  /** Through whom they are tied, if not directly. */
  readonly between?: Address;
};

/** `complete` is false where the rows of their transactions are more than are read. */
type KeptTies = { readonly ties: readonly PaidTie[]; readonly complete: boolean };

/**
 * The ties whose payments were more than dust, and the payer's own, by the rows of their transactions. Anybody can send a stranger dust, and a
 * thief is paid by his victim only in form. Asks only where
 * there are any ties; the reader then knows what their transactions are called. Of those that seem to be dust it asks again, for the coin and
 * stablecoins alone: rows of other tokens, without end in one transaction, may have been all that was read.
 */
export const keepPaid = async (
  ties: readonly PaidTie[],
  { chain }: { readonly chain: Chain },
  ask: Ask,
): Promise<KeptTies> => {
  const first = await readPaid(ties, { chain }, ask);
  const doubted = ties.filter((tie) => !tie.payments.every(first.isPaid));
  const again = await readPaid(doubted, { chain, families: ask.families }, ask);
  const isPaid = (payment: Payment): boolean => first.isPaid(payment) || again.isPaid(payment);
  return {
    ties: ties.filter(({ payments }) => payments.every(isPaid)),
    complete: again.complete,
  };
};

/** With its payments for proofs. */
export const toTie = ({ wallet, evidence, payments }: PaidTie): Tie => [
  wallet,
  { ...evidence, proofs: payments.map(({ at }) => at) },
];

type Reading = { readonly chain: Chain; readonly families?: readonly AssetFamily[] };
type Paid = { readonly isPaid: (payment: Payment) => boolean; readonly complete: boolean };

/** Which of the ties' payments were in earnest, of what is read of their transactions. */
const readPaid = async (
  ties: readonly PaidTie[],
  { chain, ...families }: Reading,
  { reader, limits, families: counted }: Ask,
): Promise<Paid> => {
  const all = ties.flatMap(({ payments }) => payments.map(({ at }) => at));
  const places = [...new Map(all.map((position) => [transactionKey(position), position])).values()];
  let complete = true;
  const rows = await askInChunks(places, async (positions) => {
    const read = await reader.transactionRows({
      ...limits,
      ...families,
      positions,
      limit: ROWS_PER_QUESTION,
    });
    complete &&= read.length < ROWS_PER_QUESTION;
    return read;
  });
  const paid = new Map<string, Map<string, bigint>>();
  for (const { from, to, family, amountRaw, sender, authority, ...at } of rows) {
    if (!counted.includes(family) || !isOwnDoing({ from, sender, authority })) continue;
    const key = keyOf({ payer: from, payee: to, at });
    const sums = paid.get(key) ?? new Map<string, bigint>();
    sums.set(family, (sums.get(family) ?? 0n) + amountRaw);
    paid.set(key, sums);
  }
  const isPaid = (payment: Payment): boolean =>
    [...(paid.get(keyOf(payment)) ?? [])].some(([family, sumRaw]) => !isDust(chain, family, sumRaw));
  return { isPaid, complete };
};

/** What somebody else took of a wallet, by an allowance or as its delegate, the wallet paid nobody. */
const isOwnDoing = ({
  from,
  sender,
  authority,
}: Pick<TransactionRow, 'from' | 'sender' | 'authority'>): boolean => authority === null || sender === from;

const keyOf = ({ payer, payee, at }: Payment): string => `${transactionKey(at)} ${payer} ${payee}`;
