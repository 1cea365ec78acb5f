import { isUnverifiedToken } from '../../investigate/model/asset.ts';
import type { DecodedBlock } from '../../investigate/model/block.ts';
import { findChain } from '../../investigate/model/chain.ts';
import type { Movement } from '../../investigate/model/movement.ts';

/** A movement, and where it stands. */
type Moved = {
  readonly chain: string;
  readonly blockNumber: number;
  readonly txIndex: number;
  readonly canonicalAsset: string;
  readonly txSender: string;
  readonly movement: Movement;
};

/** Whether a spender moved it whom its owner had allowed the token: in a transaction of the owner's, or of a token that the owner used. */
export const createIsAllowed = (blocks: readonly DecodedBlock[], rows: readonly Moved[]) => {
  const grants = blocks
    .filter(({ controlCoverage }) => controlCoverage !== 'none')
    .flatMap((block) =>
      block.controlEvents
        .filter(({ kind, amountRaw, detail }) => {
          const isOfOne = detail === 'all' || detail?.startsWith('id:') === true;
          return (kind === 'approval' || kind === 'permit') && amountRaw > 0n && !isOfOne;
        })
        .map((event) => ({ ...event, chain: block.chain, blockNumber: block.number })),
    );
  const uses = new Set(
    rows.flatMap(({ chain, canonicalAsset, txSender, movement: { from, to, amountRaw } }) =>
      amountRaw > 0n && (from === txSender || to === txSender)
        ? [`${chain} ${canonicalAsset} ${txSender}`]
        : [],
    ),
  );
  const mayBeFalse = (name: string, canonicalAsset: string): boolean => {
    const chain = findChain(name);
    return chain !== null && isUnverifiedToken(chain, canonicalAsset);
  };
  return ({ chain, blockNumber, txIndex, canonicalAsset, movement: { from, authority } }: Moved): boolean =>
    authority !== null &&
    mayBeFalse(chain, canonicalAsset) &&
    grants.some(
      (grant) =>
        grant.chain === chain &&
        grant.holder === from &&
        grant.party === authority &&
        (grant.asset ?? grant.subject) === canonicalAsset &&
        (grant.byHolder || uses.has(`${chain} ${canonicalAsset} ${from}`)) &&
        (grant.blockNumber - blockNumber || grant.txIndex - txIndex) <= 0,
    );
};
