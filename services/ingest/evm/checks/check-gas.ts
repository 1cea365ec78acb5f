import type { DecodeProblem } from '../../../investigate/model/block.ts';
import { type RawObject, readQuantityOr } from '../read-hex.ts';

export type GasOf = {
  readonly txIndex: number;
  readonly receipt: RawObject;
  /** The sender's gas limit; null if it is no limit. */
  readonly limitRaw: bigint | null;
};

export type GasChecked = {
  readonly findings: readonly DecodeProblem[];
  /** The gas of transactions whose receipts state it wrongly, by index. */
  readonly mended: ReadonlyMap<number, bigint>;
};

type Told = GasOf & { readonly usedRaw: bigint; readonly upToRaw: bigint | null };

/**
 * Compares each receipt's gas with its cumulative gas, and with the header's total (`totalRaw`, null if that
 * counts differently). The one that alone adds up to the total, or that the root proves (`isProven`), is right.
 * Throws `BlockFormatError`.
 */
export const checkGas = (
  receipts: readonly GasOf[],
  totalRaw: bigint | null,
  isProven: boolean,
): GasChecked => {
  const told = receipts.flatMap(readTold);
  // Missing gas is reported with its transaction.
  if (told.length < receipts.length || told.length === 0) return { findings: [], mended: new Map() };
  const between = told.map(({ upToRaw, usedRaw }, at) =>
    upToRaw === null ? usedRaw : upToRaw - (told[at - 1]?.upToRaw ?? 0n),
  );
  const off = told.flatMap(({ txIndex, usedRaw }, at) => {
    const gas = between[at] ?? usedRaw;
    return gas === usedRaw ? [] : [[txIndex, gas] as const];
  });
  const sumRaw = told.reduce((sum, { usedRaw }) => sum + usedRaw, 0n);
  const isWhole = (gas: bigint): boolean => totalRaw === null || gas === totalRaw;
  const isBetweenRight =
    isProven || (totalRaw !== null && sumRaw !== totalRaw && isWhole(told.at(-1)?.upToRaw ?? sumRaw));
  if (off.length > 0 && isBetweenRight && between.every((gas) => gas >= 0n)) return mend(told, new Map(off));
  const findings = overLimit(told, new Map());
  if (off.length > 0)
    findings.push(found(null, `${off.length} receipts state gas that does not fit their cumulative gas`));
  else if (!isWhole(sumRaw))
    findings.push(found(null, `the receipts state ${sumRaw} gas, and the block used ${totalRaw}`));
  return { findings, mended: new Map() };
};

const readTold = (of: GasOf): readonly Told[] => {
  const usedRaw = readQuantityOr(of.receipt.gasUsed, 'gasUsed', null);
  const upToRaw = readQuantityOr(of.receipt.cumulativeGasUsed, 'cumulativeGasUsed', null);
  return usedRaw === null ? [] : [{ ...of, usedRaw, upToRaw }];
};

const mend = (told: readonly Told[], mended: ReadonlyMap<number, bigint>): GasChecked => {
  const findings = [...mended].map(([txIndex, gas]) =>
    found(txIndex, `the receipt states gas that does not fit its cumulative gas: ${gas} was taken`),
  );
  return { findings: [...findings, ...overLimit(told, mended)], mended };
};

const overLimit = (told: readonly Told[], mended: ReadonlyMap<number, bigint>): DecodeProblem[] =>
  told
    .filter(
      ({ txIndex, usedRaw, limitRaw }) => limitRaw !== null && (mended.get(txIndex) ?? usedRaw) > limitRaw,
    )
    .map(({ txIndex }) => found(txIndex, 'the receipt states more gas than the transaction allows'));

const found = (txIndex: number | null, message: string): DecodeProblem => ({
  ...{ code: 'gas_contradicts', txIndex, message },
});
