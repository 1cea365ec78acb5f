import type { DecodedBlock } from '../../investigate/model/block.ts';
import type { FirstFunding, FunderReader } from '../../investigate/model/funder-reader.ts';
import { NATIVE } from '../../investigate/model/movement.ts';
import { HAND_OVER_KINDS } from '../../investigate/model/transfer-reader.ts';

/** The funder reader over blocks in memory, in the order of their chains. */
export const createMemoryFunderReader = (
  blocks: readonly DecodedBlock[],
  { underivedFrom = null }: { readonly underivedFrom?: number | null } = {},
): FunderReader => {
  const fundings = new Map<string, FirstFunding>();
  for (const block of blocks)
    for (const { kind, from, to, asset, amountRaw, txIndex } of block.movements) {
      const isFunding = (HAND_OVER_KINDS as readonly string[]).includes(kind) && asset === NATIVE;
      if (!isFunding || from === null || to === null || from === to || amountRaw === 0n) continue;
      const key = `${block.chain} ${to}`;
      if (fundings.has(key)) continue;
      const at = { blockTime: block.timeUnixSeconds ?? 0, blockNumber: block.number, txIndex: txIndex ?? -1 };
      fundings.set(key, { ...at, funder: from, amountRaw });
    }
  return {
    firstFunders: async ({ chain, wallets }) =>
      new Map(
        wallets.flatMap((wallet) => {
          const funding = fundings.get(`${chain} ${wallet}`);
          return funding === undefined ? [] : [[wallet, funding] as const];
        }),
      ),
    underivedFrom: async () => underivedFrom,
    fundedCounts: async ({ chain, funders, atMost }) => {
      const counts = new Map<string, number>();
      for (const [key, { funder }] of fundings) {
        if (!key.startsWith(`${chain} `) || !funders.includes(funder)) continue;
        counts.set(funder, Math.min(atMost, (counts.get(funder) ?? 0) + 1));
      }
      return counts;
    },
  };
};
