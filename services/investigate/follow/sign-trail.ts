import { ReadFailedError, type TransactionPosition } from '../model/transfer-reader.ts';
import type { FollowDependencies } from './follow-reader.ts';
import { READ_TIMEOUT_MS } from './rules.ts';
import type { FoundTrail, Trail, TrailEnd } from './trail.ts';

/**
 * Names the transactions of a trail by their hashes, in one read for all of them, outside the trail's time budget: what
 * was found in time is worth its evidence. Throws `ReadFailedError`.
 */
export const signTrail = async (
  found: FoundTrail,
  { reader, signal }: Pick<FollowDependencies, 'reader' | 'signal'>,
): Promise<Trail> => {
  const positions = [...found.hops.map(({ signature }) => signature), ...endPositions(found.end)];
  const limits = { signal, timeoutMs: READ_TIMEOUT_MS };
  const hashes =
    positions.length === 0
      ? []
      : await reader.transactionHashes({ chain: found.chain.name, positions, ...limits });
  const hashAt = new Map(positions.map((position, at) => [position, hashes[at]]));
  const sign = (position: TransactionPosition): string => {
    const hash = hashAt.get(position);
    // Its tables are being rebuilt or its block was just retracted: asked again, the trail is another.
    if (hash === undefined || hash === null) throw new ReadFailedError('unavailable');
    return hash;
  };
  return {
    ...found,
    hops: found.hops.map((hop) => ({ ...hop, signature: sign(hop.signature) })),
    end: signEnd(found.end, sign),
  };
};

const endPositions = (end: FoundTrail['end']): readonly TransactionPosition[] => {
  if (end.reason === 'split') return end.branches.map(({ signature }) => signature);
  return end.reason === 'dex_swap' ? [end.signature] : [];
};

const signEnd = (end: FoundTrail['end'], sign: (position: TransactionPosition) => string): TrailEnd => {
  switch (end.reason) {
    case 'split':
      return {
        ...end,
        branches: end.branches.map((branch) => ({ ...branch, signature: sign(branch.signature) })),
      };
    case 'dex_swap':
      return { ...end, signature: sign(end.signature) };
    default:
      return end;
  }
};
