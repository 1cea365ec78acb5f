import type { Address } from '../model/address.ts';
import { addRaw, least } from '../model/amount.ts';
import type { CanonicalAsset } from '../model/asset.ts';
import type { PlacedMovement } from '../model/case-reader.ts';
import { type Flows, netOf, sumFlows } from '../model/sum-flows.ts';
import type { TransactionPosition } from '../model/transfer-reader.ts';
import { findPayers, type Payer } from './find-payers.ts';
import { GETTERS_MAX } from './rules.ts';

/** One asset that one party lost in one transaction to the subject, or by the subject's signature. */
export type Taking = TransactionPosition & {
  readonly hash: string;
  readonly sender: Address;
  readonly payer: Address;
  readonly canonicalAsset: CanonicalAsset;
  /** The decrease of the payer's balance by the transaction. */
  readonly lostRaw: bigint;
  /** The part that the subject got: pro rata when several paid, all of it when it was sold on the way. */
  readonly toSubjectRaw: bigint;
  /** Other parties whose balance grew, pro rata; the largest first. */
  readonly others: readonly { readonly address: Address; readonly amountRaw: bigint }[];
  /** Assets of which the payer had more afterwards. */
  readonly gains: readonly { readonly canonicalAsset: CanonicalAsset; readonly amountRaw: bigint }[];
  /** The payer's rows of that asset. */
  readonly rows: readonly PlacedMovement[];
};

/** `rows` are all of one transaction. */
export const weighTransaction = (rows: readonly PlacedMovement[], subject: Address): Taking[] => {
  const [first] = rows;
  if (first === undefined) return [];
  const flows = sumFlows(rows);
  const { hash, sender, blockTime, blockNumber, txIndex } = first;
  const sold = findPayers(flows, subject).map((each) => ({ ...each, isForSubject: true }));
  const paid = [...sold, ...findTaken(rows, flows, { subject, known: sold })];
  const totals = new Map<CanonicalAsset, bigint>();
  for (const { payer, canonicalAsset } of paid)
    addRaw(totals, canonicalAsset, -netOf(flows, payer, canonicalAsset));
  const getters = new Map(
    [...totals.keys()].map((canonicalAsset) => [canonicalAsset, findGetters(flows, canonicalAsset, subject)]),
  );
  const rowsOf = Map.groupBy(rows, ({ from, canonicalAsset }) => `${from} ${canonicalAsset}`);
  return paid.map(({ payer, canonicalAsset, isForSubject }): Taking => {
    const lostRaw = -netOf(flows, payer, canonicalAsset);
    const partOf = (raw: bigint): bigint => (raw * lostRaw) / (totals.get(canonicalAsset) ?? lostRaw);
    const gotRaw = flows.received.get(`${subject} ${canonicalAsset}`) ?? 0n;
    // In another asset, because it was sold on the way.
    const isSold = isForSubject && gotRaw === 0n;
    return {
      blockTime,
      blockNumber,
      txIndex,
      hash,
      sender,
      payer,
      canonicalAsset,
      lostRaw,
      toSubjectRaw: isSold ? lostRaw : least(lostRaw, partOf(gotRaw)),
      others: (getters.get(canonicalAsset) ?? []).map(({ address, raw }) => ({
        address,
        amountRaw: partOf(raw),
      })),
      gains: [...(flows.nets.get(payer) ?? [])].flatMap(([gained, amountRaw]) =>
        amountRaw > 0n ? [{ canonicalAsset: gained, amountRaw }] : [],
      ),
      rows: rowsOf.get(`${payer} ${canonicalAsset}`) ?? [],
    };
  });
};

/**
 * Bounded: the author of a transaction chooses how many pay how many, and each payer is reported with all of
 * them.
 */
const findGetters = (flows: Flows, canonicalAsset: CanonicalAsset, subject: Address) =>
  [...flows.nets]
    .map(([address, nets]) => ({ address, raw: nets.get(canonicalAsset) ?? 0n }))
    .filter(({ address, raw }) => raw > 0n && address !== subject)
    .sort((a, b) => (a.raw === b.raw ? 0 : a.raw > b.raw ? -1 : 1))
    .slice(0, GETTERS_MAX);

/** What others lost by the subject's signature when the subject itself received nothing. */
const findTaken = (
  rows: readonly PlacedMovement[],
  flows: Flows,
  { subject, known }: { readonly subject: Address; readonly known: readonly Payer[] },
) => {
  const seen = new Set(known.map(({ payer, canonicalAsset }) => `${payer} ${canonicalAsset}`));
  return rows.flatMap(({ from, canonicalAsset, authority, sender }) => {
    const isByHand = authority !== null && (authority === subject || sender === subject);
    if (from === null || from === subject || !isByHand || netOf(flows, from, canonicalAsset) >= 0n) return [];
    const key = `${from} ${canonicalAsset}`;
    return seen.has(key) || !seen.add(key) ? [] : [{ payer: from, canonicalAsset, isForSubject: false }];
  });
};
