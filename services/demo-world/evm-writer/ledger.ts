import { NATIVE } from '../../investigate/model/movement.ts';
import { Overdraft } from '../writer.ts';

/** Balances by asset and address, with undo for the running transaction. */
export type Ledger = {
  readonly get: (address: string, asset: string) => bigint;
  readonly add: (address: string, asset: string, changeRaw: bigint) => void;
  readonly move: (from: string, to: string, asset: string, amountRaw: bigint) => void;
  readonly begin: () => void;
  /** Undoes every change since `begin`. */
  readonly undo: () => void;
};

export const createLedger = (): Ledger => {
  const balances = new Map<string, Map<string, bigint>>([[NATIVE, new Map()]]);
  let journal: { held: Map<string, bigint>; address: string; amountRaw: bigint }[] = [];
  const heldOf = (asset: string): Map<string, bigint> => {
    const held = balances.get(asset) ?? new Map<string, bigint>();
    balances.set(asset, held);
    return held;
  };
  const add = (address: string, asset: string, changeRaw: bigint): void => {
    const held = heldOf(asset);
    const amountRaw = held.get(address) ?? 0n;
    if (amountRaw + changeRaw < 0n) throw new Overdraft(`${address} holds ${amountRaw} of ${asset}`);
    journal.push({ held, address, amountRaw });
    held.set(address, amountRaw + changeRaw);
  };
  return {
    get: (address, asset) => balances.get(asset)?.get(address) ?? 0n,
    add,
    move: (from, to, asset, amountRaw) => {
      add(from, asset, -amountRaw);
      add(to, asset, amountRaw);
    },
    begin: () => {
      journal = [];
    },
    undo: () => {
      for (const { held, address, amountRaw } of journal.reverse()) held.set(address, amountRaw);
      journal = [];
    },
  };
};
