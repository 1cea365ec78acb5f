type Sum = { readonly amount_raw: string; readonly usd: number | null };

/**
 * Gives each part whole cents of the sum that the parts make, so that they add up to it on the page. The remainders are
 * carried on from part to part.
 */
export const divideDollars = <Part extends Sum>(parts: readonly Part[], whole: Sum): readonly Part[] => {
  const wholeRaw = BigInt(whole.amount_raw);
  if (whole.usd === null || wholeRaw === 0n) return parts;
  const cents = BigInt(Math.round(whole.usd * 100));
  let toldRaw = 0n;
  let toldCents = 0n;
  return parts.map((part) => {
    toldRaw += BigInt(part.amount_raw);
    // Rounded, not cut.
    const upTo = (2n * cents * toldRaw + wholeRaw) / (2n * wholeRaw);
    const usd = Number(upTo - toldCents) / 100;
    toldCents = upTo;
    return { ...part, usd };
  });
};
