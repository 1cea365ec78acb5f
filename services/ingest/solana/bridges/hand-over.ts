import type { Movement } from '../../../investigate/model/movement.ts';
import type { BridgeReading } from './bridge-call.ts';

/**
 * Rewrites what a bridge's program took out of a wallet as a transfer to the program first, as bridges of other
 * chains log it. The program burns the money or keeps it in a new account; without this row a trail would rest, or
 * lead to an unknown address. Sums stay equal.
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
