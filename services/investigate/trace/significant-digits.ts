/** Digits of an amount without the zeros at its end: 1.5 has two. */
export const significantDigits = (amountRaw: bigint): number =>
  amountRaw.toString().length - zerosOf(amountRaw);

export const zerosOf = (amountRaw: bigint): number => amountRaw.toString().match(/0*$/)?.[0].length ?? 0;
