import type { Address } from '../model/address.ts';
import { addRaw, least } from '../model/amount.ts';
import type { AssetFamily } from '../model/asset.ts';
import type { PlacedMovement } from '../model/case-reader.ts';
import { type Flows, netOf, sumFlows } from '../model/sum-flows.ts';
import type { TransactionPosition } from '../model/transfer-reader.ts';
import { findPayers, type Payer } from './find-payers.ts';
import { GETTERS_MAX } from './rules.ts';

/** One asset that one party parted with in one transaction, for the subject or by its hand. */
export type Taking = TransactionPosition & {
  readonly hash: string;
  readonly sender: Address;
  readonly payer: Address;
  readonly family: AssetFamily;
  /** What the payer had less of it after the transaction. */
  readonly lostRaw: bigint;
  /** Of it what the subject got, pro rata where several paid; all of it where it was sold on the way. */
  readonly toSubjectRaw: bigint;
  /** Who else had more of it, pro rata: those who got most. */
  readonly others: readonly { readonly address: Address; readonly amountRaw: bigint }[];
  /** What the payer had more of afterwards. */
  readonly gains: readonly { readonly family: AssetFamily; readonly amountRaw: bigint }[];
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
  const totals = new Map<AssetFamily, bigint>();
  for (const { payer, family } of paid) addRaw(totals, family, -netOf(flows, payer, family));
  const getters = new Map([...totals.keys()].map((family) => [family, findGetters(flows, family, subject)]));
  const rowsOf = Map.groupBy(rows, ({ from, family }) => `${from} ${family}`);
  return paid.map(({ payer, family, isForSubject }): Taking => {
    const lostRaw = -netOf(flows, payer, family);
    const partOf = (raw: bigint): bigint => (raw * lostRaw) / (totals.get(family) ?? lostRaw);
    const gotRaw = flows.received.get(`${subject} ${family}`) ?? 0n;
    // In another asset, which it was sold for on the way.
    const isSold = isForSubject && gotRaw === 0n;
    return {
      ...{ blockTime, blockNumber, txIndex, hash, sender, payer, family, lostRaw },
      toSubjectRaw: isSold ? lostRaw : least(lostRaw, partOf(gotRaw)),
      others: (getters.get(family) ?? []).map(({ address, raw }) => ({ address, amountRaw: partOf(raw) })),
      gains: [...(flows.nets.get(payer) ?? [])].flatMap(([gained, amountRaw]) =>
        amountRaw > 0n ? [{ family: gained, amountRaw }] : [],
      ),
      rows: rowsOf.get(`${payer} ${family}`) ?? [],
    };
  });
};

/** Bounded: whoever writes a transaction chooses how many pay how many, and each payer is told with them. */
const findGetters = (flows: Flows, family: AssetFamily, subject: Address) =>
  [...flows.nets]
    .map(([address, nets]) => ({ address, raw: nets.get(family) ?? 0n }))
    .filter(({ address, raw }) => raw > 0n && address !== subject)
    .sort((a, b) => (a.raw === b.raw ? 0 : a.raw > b.raw ? -1 : 1))
    .slice(0, GETTERS_MAX);

/** What others lost because the subject signed for it, where the subject itself got nothing. */
const findTaken = (
  rows: readonly PlacedMovement[],
  flows: Flows,
  { subject, known }: { readonly subject: Address; readonly known: readonly Payer[] },
) => {
  const seen = new Set(known.map(({ payer, family }) => `${payer} ${family}`));
  return rows.flatMap(({ from, family, authority, sender }) => {
    const isByHand = authority !== null && (authority === subject || sender === subject);
    if (from === null || from === subject || !isByHand || netOf(flows, from, family) >= 0n) return [];
    const key = `${from} ${family}`;
    return seen.has(key) || !seen.add(key) ? [] : [{ payer: from, family, isForSubject: false }];
  });
};
