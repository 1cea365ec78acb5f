import { isListed } from '../model/asset.ts';
import { TOKENS_ASKED_MAX } from './rules.ts';
import { byFrequency, takeSome } from './take-some.ts';
import type { VictimsReads } from './victims-reader.ts';
import type { VictimsRequest } from './victims-report.ts';
import type { Taking } from './weigh-transaction.ts';

const TOKENS = {
  part: 'tokens',
  at: 'tokens that payers got were looked at for who created them: one that the address itself created may count as a price.',
};

/**
 * Drops gains in tokens that the subject itself created. It can issue any amount, so such tokens are no price
 * paid.
 */
export const dropOwnTokens = async (
  request: VictimsRequest,
  takings: readonly Taking[],
  reads: Pick<VictimsReads, 'controls' | 'session'>,
): Promise<readonly Taking[]> => {
  const { chain, address: subject } = request;
  const gained = takings.flatMap(({ gains }) => gains.map(({ canonicalAsset }) => canonicalAsset));
  const unlisted = gained.filter((canonicalAsset) => !isListed(chain, canonicalAsset));
  const asked = takeSome(byFrequency(unlisted), TOKENS_ASKED_MAX, TOKENS, reads);
  const made = await reads.controls.eventsOf(
    {
      chain: chain.name,
      kinds: ['mint_created', 'contract_created'],
      order: 'oldest_first',
      limit: 1,
    },
    asked.map((address) => ({ address })),
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
