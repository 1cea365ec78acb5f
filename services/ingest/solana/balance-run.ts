import type { DecodeProblem } from '../../investigate/model/block.ts';
import type { Lamports, RawMessage, RawMeta, RawTransaction } from './encoding/raw-block.ts';
import { loadedKeys, readTransaction } from './encoding/transaction-parts.ts';

export const BALANCES_NOT_CONTINUOUS = 'balances_not_continuous';

/** A key may be as long as a node writes it. */
const MESSAGE_LENGTH_MAX = 300;

/** Contradictions between a block's balances and its list of transactions. */
export type BalanceRun = {
  /** Indexes that do not count, because the same transaction is listed elsewhere. */
  readonly repeated: ReadonlySet<number>;
  readonly problem: DecodeProblem | null;
};

/**
 * Checks that every changed account began with what the transaction before left in it: nothing else changes
 * balances within a block. Of a repeated transaction the first place counts whose balances continue. `hashes`:
 * null for unreadable transactions. In byte encodings addresses are expensive to write, so those blocks are
 * checked only for repeated transactions.
 */
export const checkBalanceRun = (
  transactions: readonly RawTransaction[],
  hashes: readonly (string | null)[],
): BalanceRun => {
  const places = placesOfRepeated(hashes);
  if (places.size === 0 && !transactions.every(isJson)) return { repeated: new Set(), problem: null };
  const run = new Run();
  const counted = new Map<string, number>();
  for (const [place, raw] of transactions.entries()) {
    const hash = hashes[place] ?? null;
    // An unreadable transaction may have changed any balance.
    if (hash === null || raw.meta === null) {
      run.forget();
      continue;
    }
    const addresses = addressesOf(raw, raw.meta);
    if (places.has(hash)) {
      if (counted.has(hash) || !run.runsOn(addresses, raw.meta)) continue;
      counted.set(hash, place);
    }
    run.take(addresses, raw.meta);
  }
  const repeated = new Set<number>();
  for (const [hash, [first = 0, ...others]] of places) {
    const at = counted.get(hash) ?? first;
    for (const place of [first, ...others]) if (place !== at) repeated.add(place);
  }
  return { repeated, problem: run.problem() };
};

/** By account index. Most accounts are never asked for. */
type Addresses = { readonly at: (index: number) => string };

const addressesOf = (raw: RawTransaction, meta: RawMeta): Addresses => {
  if (!isJson(raw)) return readTransaction(raw, meta).keys;
  const { accountKeys } = (raw.transaction as { readonly message: RawMessage }).message;
  return {
    at: (index) => {
      const key = accountKeys[index] ?? loadedKeys(meta)[index - accountKeys.length] ?? '';
      return typeof key === 'string' ? key : key.pubkey;
    },
  };
};

/** By hash, only of repeated transactions. */
const placesOfRepeated = (hashes: readonly (string | null)[]): Map<string, number[]> => {
  const firsts = new Map<string, number>();
  const places = new Map<string, number[]>();
  for (const [place, hash] of hashes.entries()) {
    if (hash === null) continue;
    const first = firsts.get(hash);
    if (first === undefined) firsts.set(hash, place);
    else places.set(hash, [...(places.get(hash) ?? [first]), place]);
  }
  return places;
};

const isJson = (raw: RawTransaction | null): boolean =>
  typeof raw?.transaction === 'object' && !Array.isArray(raw.transaction);

/** The last known balance of every account. */
class Run {
  private readonly left = new Map<string, Lamports>();
  private breaks = 0;
  private first: string | null = null;

  runsOn(addresses: Addresses, { preBalances, postBalances }: RawMeta): boolean {
    for (let i = 0; i < preBalances.length; i++) {
      const before = preBalances[i];
      if (before === postBalances[i] || before === undefined) continue;
      if (this.isBroken(this.left.get(addresses.at(i)), before)) return false;
    }
    return true;
  }

  take(addresses: Addresses, { preBalances, postBalances }: RawMeta): void {
    for (let i = 0; i < preBalances.length; i++) {
      const before = preBalances[i];
      const after = postBalances[i];
      // Most accounts of a transaction are only read.
      if (before === after || before === undefined || after === undefined) continue;
      const address = addresses.at(i);
      const left = this.left.get(address);
      if (this.isBroken(left, before)) {
        this.breaks++;
        this.first ??= `${address} begins with ${before} lamports, the transaction before left it ${left}`;
      }
      this.left.set(address, after);
    }
  }

  /** The same amount may be a number or a bigint. */
  private isBroken(left: Lamports | undefined, before: Lamports): boolean {
    return left !== undefined && left !== before && BigInt(left) !== BigInt(before);
  }

  forget(): void {
    this.left.clear();
  }

  problem(): DecodeProblem | null {
    if (this.first === null) return null;
    const message = `${this.breaks} balances do not run on, so that a transaction may be missing: ${this.first}`;
    return { code: BALANCES_NOT_CONTINUOUS, txIndex: null, message: message.slice(0, MESSAGE_LENGTH_MAX) };
  }
}
