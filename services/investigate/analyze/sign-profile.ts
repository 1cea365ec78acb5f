import { type TransactionPosition, transactionKey } from '../model/transfer-reader.ts';
import type { Profile } from './profile.ts';
import type { QueryContext } from './query-context.ts';
import { PARTIES_TOLD_MAX } from './rules.ts';

type Unsigned = Pick<Profile, 'risk' | 'funding' | 'behaviours' | 'connections' | 'services' | 'lookalikes'>;

/** Reads the hashes of the transactions that a profile names, by `transactionKey`. One query. */
export const signProfile = async (
  profile: Unsigned,
  { reader, onChain }: QueryContext,
): Promise<ReadonlyMap<string, string>> => {
  const positions = [...new Map(positionsOf(profile).map((each) => [transactionKey(each), each])).values()];
  const hashes = await reader.transactionHashes(onChain, positions);
  return new Map(
    positions.flatMap((position, index) => {
      const hash = hashes[index];
      return hash ? [[transactionKey(position), hash] as const] : [];
    }),
  );
};

const positionsOf = (profile: Unsigned): TransactionPosition[] => [
  ...profile.risk.reasons.flatMap(({ delegation }) => delegation?.sweeps ?? []),
  ...profile.risk.reasons.flatMap(({ parties }) =>
    parties.slice(0, PARTIES_TOLD_MAX).flatMap(({ direct, path }) => [...direct, ...(path ?? [])]),
  ),
  ...(profile.funding?.steps ?? []),
  ...profile.behaviours.flatMap(({ examples }) => examples),
  ...profile.connections.flatMap(({ in: paidIn, out, transfers }) => [
    ...[paidIn.largest, out.largest].filter((each) => each !== null),
    ...transfers,
  ]),
  ...profile.services.map(({ latest }) => latest),
  ...profile.lookalikes,
];
