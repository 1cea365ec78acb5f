import type { BridgeTransfer } from '../../../investigate/model/bridge-transfer.ts';
import type { Movement } from '../../../investigate/model/movement.ts';

/**
 * The rows with what a bridge's program burnt out of a wallet handed to the program first, as bridges of other chains log
 * it: money that leaves for another chain has gone to somebody, and a trail leads there. Sums stay what they are.
 */
export const handOverBurnt = (
  movements: readonly Movement[],
  { from, asset, amountRaw }: Pick<BridgeTransfer, 'from' | 'asset' | 'amountRaw'>,
  program: string,
): readonly Movement[] => {
  const at = movements.findIndex(
    (row) => row.kind === 'burn' && row.from === from && row.asset === asset && row.amountRaw === amountRaw,
  );
  const burnt = movements[at];
  if (burnt === undefined) return movements;
  const handedOver = { ...burnt, kind: 'transfer' as const, to: program };
  return movements.toSpliced(at, 1, handedOver, { ...burnt, from: program, authority: null });
};
