import type { Movement } from '../../../investigate/model/movement.ts';
import type { BridgeReading } from './bridge-call.ts';

/**
 * The rows with what bridges' programs took out of wallets handed to the program first, as bridges of other chains log it.
 * It burns the money, or keeps it in an account made for this crossing: but for this a trail would rest, or lead to an address
 * that nobody knows. Sums stay what they are.
 */
export const handOver = (
  movements: readonly Movement[],
  deposits: readonly BridgeReading[],
): readonly Movement[] => {
  const programs = new Map<number, string>();
  for (const deposit of deposits) {
    const taken = findTaken(movements, deposit, programs);
    if (taken !== null) programs.set(taken, deposit.program);
  }
  return movements.flatMap((row, at) => {
    const program = programs.get(at);
    if (program === undefined) return row;
    return [
      { ...row, kind: 'transfer', to: program },
      { ...row, from: program, authority: null },
    ];
  });
};

/** Which row a deposit took: its own call's, told by where that stands, since other rows may be as large. Each is taken once. */
const findTaken = (
  movements: readonly Movement[],
  { transfer, taken }: BridgeReading,
  others: ReadonlyMap<number, string>,
): number | null => {
  const { from, asset, amountRaw } = transfer;
  const fits = (at: number): boolean => {
    const row = movements[at];
    if (row === undefined || (row.kind !== 'burn' && row.kind !== 'transfer') || others.has(at)) return false;
    if (taken !== null && at < taken.place !== taken.isBefore) return false;
    // A fee may be taken along.
    return row.from === from && row.asset === asset && row.amountRaw >= (amountRaw ?? 0n);
  };
  const fitting = [...movements.keys()].filter(fits);
  const nearestFirst = taken?.isBefore ? fitting.toReversed() : fitting;
  const amountAt = (at: number): bigint => movements[at]?.amountRaw ?? 0n;
  return nearestFirst.reduce<number | null>(
    (least, at) => (least !== null && amountAt(least) <= amountAt(at) ? least : at),
    null,
  );
};
