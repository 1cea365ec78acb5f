import { type CanonicalAsset, isListed } from '../model/asset.ts';
import { TOKENS_ASKED_MAX } from './rules.ts';
import type { VictimsReads } from './victims-reader.ts';
import type { VictimsRequest } from './victims-report.ts';
import type { Taking } from './weigh-transaction.ts';

/**
 * Drops gains in tokens that the subject itself created. It can issue any amount, so such tokens are no price
 * paid.
 */
export const dropOwnTokens = async (
  request: VictimsRequest,
  takings: readonly Taking[],
  { controls }: Pick<VictimsReads, 'controls'>,
): Promise<readonly Taking[]> => {
  const { chain, address: subject } = request;
  const gained = takings.flatMap(({ gains }) => gains.map(({ canonicalAsset }) => canonicalAsset));
  const asked = mostFrequent(gained.filter((canonicalAsset) => !isListed(chain, canonicalAsset)));
  if (asked.length === 0) return takings;
  const made = await Promise.all(
    asked.map((address) =>
      controls.eventsOf({
        chain: chain.name,
        address,
        kinds: ['mint_created', 'contract_created'],
        order: 'oldest_first',
        limit: 1,
      }),
    ),
  );
  const own = new Set(
    asked.filter((_, index) => {
      const event = made[index]?.events[0];
      return event?.holder === subject || event?.sender === subject;
    }),
  );
  if (own.size === 0) return takings;
  return takings.map((taking) => ({
    ...taking,
    gains: taking.gains.filter(({ canonicalAsset }) => !own.has(canonicalAsset)),
  }));
};

const mostFrequent = (canonicalAssets: readonly CanonicalAsset[]): CanonicalAsset[] =>
  [...Map.groupBy(canonicalAssets, (canonicalAsset) => canonicalAsset)]
    .sort((a, b) => b[1].length - a[1].length)
    .slice(0, TOKENS_ASKED_MAX)
    .map(([canonicalAsset]) => canonicalAsset);
