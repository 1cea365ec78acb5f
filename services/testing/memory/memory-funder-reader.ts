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
    firstFunders: async ({ chain }, wallets) =>
      wallets.map((wallet) => fundings.get(`${chain} ${wallet}`) ?? null),
    underivedFrom: async (_, chains) => chains.map(() => underivedFrom),
    fundedCounts: async ({ chain, atMost }, funders) => {
      const funded = [...fundings].flatMap(([key, { funder }]) =>
        key.startsWith(`${chain} `) ? [funder] : [],
      );
      return funders.map((funder) => Math.min(atMost, funded.filter((each) => each === funder).length));
    },
  };
};
