import { least } from '../model/amount.ts';
import type { CanonicalAsset } from '../model/asset.ts';
import { compareTransactions, type TransactionPosition } from '../model/transfer-reader.ts';
import { PAID_SHARE } from './rules.ts';

/** What one party lost, or what the subject paid it. `usd` is null when its value is unknown. */
export type Entry = TransactionPosition & {
  readonly canonicalAsset: CanonicalAsset;
  readonly amountRaw: bigint;
  readonly usd: number | null;
};

/** The outcome of a loss: how much came back in the same asset, or that the payer was paid for it. */
export type Settled = { readonly refundedRaw: bigint; readonly wasPaid: boolean };

type Open = { readonly loss: Entry; refundedRaw: bigint; paidUsd: number; advanceRaw: bigint };

/**
 * Sets the subject's payments to a party against that party's losses, first in, first out. A payment in the
 * same asset repays earlier losses, and its rest is an advance for later ones. A payment in another asset is
 * a price.
 */
export const settleAccounts = (losses: readonly Entry[], payments: readonly Entry[]): Settled[] => {
  const accounts = new Map<Entry, Open>(
    losses.map((loss) => [loss, { loss, refundedRaw: 0n, paidUsd: 0, advanceRaw: 0n }]),
  );
  const begun: Open[] = [];
  const advances: { canonicalAsset: CanonicalAsset; raw: bigint; usdPerRaw: number }[] = [];
  for (const entry of [...losses, ...payments].sort(compareTransactions)) {
    const account = accounts.get(entry);
    if (account !== undefined) {
      takeAdvances(account, advances);
      begun.push(account);
      continue;
    }
    const remainingRaw = payBack(entry, begun);
    const usdPerRaw = entry.usd === null ? 0 : entry.usd / Number(entry.amountRaw);
    const leftUsd = payOthers(Number(remainingRaw) * usdPerRaw, entry.canonicalAsset, begun);
    const raw = usdPerRaw > 0 ? least(remainingRaw, BigInt(Math.round(leftUsd / usdPerRaw))) : remainingRaw;
    if (raw > 0n) advances.push({ canonicalAsset: entry.canonicalAsset, raw, usdPerRaw });
  }
  return losses.map((loss) => toSettled(accounts.get(loss)));
};

const openRaw = ({ loss, refundedRaw, advanceRaw }: Open): bigint =>
  loss.amountRaw - refundedRaw - advanceRaw;

/** The unused part of the payment. */
const payBack = ({ canonicalAsset, amountRaw }: Entry, begun: readonly Open[]): bigint => {
  let remainingRaw = amountRaw;
  for (const account of begun) {
    if (account.loss.canonicalAsset !== canonicalAsset) continue;
    const raw = least(remainingRaw, openRaw(account));
    account.refundedRaw += raw;
    remainingRaw -= raw;
  }
  return remainingRaw;
};

/** Its unused part in dollars, after losses in other assets. */
const payOthers = (usd: number, canonicalAsset: CanonicalAsset, begun: readonly Open[]): number => {
  let left = usd;
  for (const account of begun) {
    if (account.loss.canonicalAsset === canonicalAsset || account.loss.usd === null) continue;
    const paid = Math.min(left, Math.max(0, account.loss.usd - account.paidUsd));
    account.paidUsd += paid;
    left -= paid;
  }
  return left;
};

const takeAdvances = (
  account: Open,
  advances: { canonicalAsset: CanonicalAsset; raw: bigint; usdPerRaw: number }[],
): void => {
  const { loss } = account;
  for (const advance of advances) {
    if (advance.canonicalAsset === loss.canonicalAsset) {
      const raw = least(advance.raw, openRaw(account));
      account.advanceRaw += raw;
      advance.raw -= raw;
    } else if (loss.usd !== null && advance.usdPerRaw > 0) {
      const usd = Math.min(Number(advance.raw) * advance.usdPerRaw, Math.max(0, loss.usd - account.paidUsd));
      account.paidUsd += usd;
      advance.raw -= least(advance.raw, BigInt(Math.round(usd / advance.usdPerRaw)));
    }
  }
};

const toSettled = (account: Open | undefined): Settled => {
  if (account === undefined) return { refundedRaw: 0n, wasPaid: false };
  const { loss, refundedRaw, advanceRaw, paidUsd } = account;
  const returned = Number(advanceRaw) / Number(loss.amountRaw);
  const paid = loss.usd ? paidUsd / loss.usd : 0;
  return { refundedRaw, wasPaid: returned + paid >= PAID_SHARE };
};
