import type { BridgeTransfer } from '../../../investigate/model/bridge-transfer.ts';
import type { Movement } from '../../../investigate/model/movement.ts';

/**
 * The rows with what a bridge's program took out of a wallet handed to the program first, as bridges of other chains log it.
 * It burns the money, or keeps it in an account made for this crossing: but for this a trail would rest, or lead to an address
 * that nobody knows. Sums stay what they are.
 */
export const handOver = (
  movements: readonly Movement[],
  { from, asset, amountRaw }: Pick<BridgeTransfer, 'from' | 'asset' | 'amountRaw'>,
  program: string,
): readonly Movement[] => {
  // A fee may be taken along.
  const taken = movements
    .filter(({ kind }) => kind === 'burn' || kind === 'transfer')
    .filter((row) => row.from === from && row.asset === asset && row.amountRaw >= (amountRaw ?? 0n))
    .reduce<Movement | null>((least, row) => (least && least.amountRaw < row.amountRaw ? least : row), null);
  if (taken === null) return movements;
  const handedOver = { ...taken, kind: 'transfer' as const, to: program };
  return movements.toSpliced(movements.indexOf(taken), 1, handedOver, {
    ...taken,
    from: program,
    authority: null,
  });
};
