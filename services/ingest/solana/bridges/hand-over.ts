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
  const programs = new Map(deposits.map(({ taken, program }) => [taken, program]));
  return movements.flatMap((row, at) => {
    const program = programs.get(at);
    if (program === undefined) return row;
    return [
      { ...row, kind: 'transfer', to: program },
      { ...row, from: program, authority: null },
    ];
  });
};
