import type { Address } from '../model/address.ts';
import type { Chain } from '../model/chain.ts';
import { type TransactionPosition, type TransactionRow, transactionKey } from '../model/transfer-reader.ts';
import { type Ask, askInChunks } from './ask.ts';
import { isDust } from './dust.ts';
import type { FoundEvidence } from './suspects.ts';

/** The transactions of ties are small. */
const ROWS_PER_QUESTION = 20_000;

export type Tie = readonly [Address, FoundEvidence];

export type Payment = {
  readonly payer: Address;
  readonly payee: Address;
  readonly at: TransactionPosition;
};

/** Evidence that holds where each of these payments was one in earnest: they are its proofs. */
export type PaidTie = {
  readonly wallet: Address;
  readonly evidence: Omit<FoundEvidence, 'proofs'>;
  readonly payments: readonly Payment[];
};

/**
 * The ties whose payments were more than dust, by the rows of their transactions. Anybody can send a stranger dust. Asks only where
 * there are any ties; the reader then knows what their transactions are called.
 */
export const keepPaid = async (
  ties: readonly PaidTie[],
  { chain }: { readonly chain: Chain },
  ask: Ask,
): Promise<Tie[]> => {
  const rows = await readRows(
    ties.flatMap(({ payments }) => payments.map(({ at }) => at)),
    ask,
  );
  const paid = new Map<string, Map<string, bigint>>();
  for (const { from, to, family, amountRaw, ...at } of rows) {
    if (!ask.families.includes(family)) continue;
    const key = keyOf({ payer: from, payee: to, at });
    const sums = paid.get(key) ?? new Map<string, bigint>();
    sums.set(family, (sums.get(family) ?? 0n) + amountRaw);
    paid.set(key, sums);
  }
  const isPaid = (payment: Payment): boolean =>
    [...(paid.get(keyOf(payment)) ?? [])].some(([family, sumRaw]) => !isDust(chain, family, sumRaw));
  return ties
    .filter(({ payments }) => payments.every(isPaid))
    .map(({ wallet, evidence, payments }) => [wallet, { ...evidence, proofs: payments.map(({ at }) => at) }]);
};

const keyOf = ({ payer, payee, at }: Payment): string => `${transactionKey(at)} ${payer} ${payee}`;

const readRows = (
  all: readonly TransactionPosition[],
  { reader, limits }: Ask,
): Promise<readonly TransactionRow[]> => {
  const places = [...new Map(all.map((position) => [transactionKey(position), position])).values()];
  return askInChunks(places, (positions) =>
    reader.transactionRows({ ...limits, positions, limit: ROWS_PER_QUESTION }),
  );
};
